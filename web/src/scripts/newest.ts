// newest returns what asks, and shows each answer but one that came after the answer to a later request.
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
