// newest returns a function that asks and shows the answer, unless a later request was answered first.
export function newest<T>(ask: () => Promise<T>, show: (answer: T) => void): () => Promise<void> {
  let asked = 0;
  let shown = 0;
  return async () => {
    const mine = ++asked;
    const answer = await ask();
    if (mine < shown) return;
    shown = mine;
    show(answer);
  };
}
