import { execFile } from "node:child_process";
import { SvcError } from "../../../core/contract/index.ts";
import { createBaseEnvironment } from "../../_process/index.ts";

/** Oldest supported version of Python. */
const oldest = [3, 8] as const;
/** Milliseconds that an interpreter may take to print its version. */
const answerTime = 20_000;
const question = 'import sys; print("%d.%d.%d" % sys.version_info[:3]); print(sys.executable)';

export interface Interpreter {
	/** Absolute path of the interpreter itself; the program on the PATH may be a slow wrapper around it. */
	readonly file: string;
	readonly version: string;
}

/** Determines path and version of a `python3`. Rejects with `SVC_CONFIG` if it cannot be started or is too old. */
export async function findInterpreter(binary: string): Promise<Interpreter> {
	const [version = "", file = ""] = (await ask(binary)).split("\n");
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (file === "") throw new SvcError("SVC_CONFIG", `"${binary}" is not a Python interpreter`);
	if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
		throw new SvcError("SVC_CONFIG", `"${binary}" is Python ${version}, but actions require ${oldest.join(".")} or newer`);
	return { file, version };
}

function ask(binary: string): Promise<string> {
	return new Promise((resolve, reject) => {
		execFile(binary, ["-c", question], { env: createBaseEnvironment(), timeout: answerTime }, (cause, answer) => {
			if (cause === null) resolve(answer);
			else reject(new SvcError("SVC_CONFIG", `the Python interpreter "${binary}" cannot be started`, { cause }));
		});
	});
}
