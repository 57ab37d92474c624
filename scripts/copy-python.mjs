import { cpSync } from "node:fs";

// The part of the build that the compiler leaves out: Python sources, which the runner reads beside its own files.
const source = "plugins-runner/python-script/python";

cpSync(source, `dist/${source}`, { recursive: true, filter: (file) => !file.includes("__pycache__") });
