import { fileURLToPath } from "node:url";

/** Directory of the runner's Python files, next to this file in the source and in the build. */
export const pythonSource = fileURLToPath(new URL("./python", import.meta.url));
