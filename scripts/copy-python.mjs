import { cpSync } from "node:fs";

// The part of the build that the compiler leaves out: Python sources, which plugins read beside their own files.
for (const source of ["plugins-runner/python-script/python", "plugins/pack-compatibility/python"]) {
	cpSync(source, `dist/${source}`, { recursive: true, filter: (file) => !file.includes("__pycache__") });
}
