import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Writes a wheel: a module and a command that know the version. */
const script = `
import sys, zipfile
directory, version, size = sys.argv[1:]
info = "svc_sample-" + version + ".dist-info/"
files = {
    "svc_sample.bin": "x" * int(size),
    "svc_sample.py": "version = '" + version + "'\\ndef main(): print('command', version)\\n",
    info + "METADATA": "Metadata-Version: 2.1\\nName: svc-sample\\nVersion: " + version + "\\n",
    info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    info + "entry_points.txt": "[console_scripts]\\nsvc-sample = svc_sample:main\\n",
}
with zipfile.ZipFile(directory + "/svc_sample-" + version + "-py3-none-any.whl", "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
    wheel.writestr(info + "RECORD", "".join(name + ",,\\n" for name in files) + info + "RECORD,,\\n")
`;

/**
 * Make a wheel without any tool but Python: a module `svc_sample` and a command `svc-sample`, which pip finds with `--find-links`.
 *
 * @param size bytes of a file that it installs beside them
 */
export function buildSampleWheel(directory: string, version: string, size = 0): void {
	mkdirSync(directory, { recursive: true });
	execFileSync("python3", ["-c", script, directory, version, String(size)]);
}
