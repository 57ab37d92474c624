import { fileURLToPath } from "node:url";

/** Directory of the Python half of the runner, beside this file in the source and in the build. */
export const pythonSource = fileURLToPath(new URL("./python", import.meta.url));
