// The robot's HTTP interface for recordings.
export interface RecordingFile {
  name: string;
  bytes: number;
  changed: string; // ISO 8601
  open: boolean; // it is being written
}

export interface Recordings {
  recording: boolean;
  ended?: string; // why the newest one ended by itself, a sentence
  missing: number; // readings and commands that it lost
  files: RecordingFile[]; // newest first
}

// request sends a request about the recordings. It returns their new state, or a sentence why not.
export async function request(method: string, path: string): Promise<Recordings | string> {
  const answer = await fetch(`/api/v1/recordings${path}`, { method });
  return answer.ok ? ((await answer.json()) as Recordings) : (await answer.text()).trim();
}
