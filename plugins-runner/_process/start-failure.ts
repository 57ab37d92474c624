import { statSync } from "node:fs";
import type { ProcessRequest, StartFailure } from "./protocol.ts";

/** Why a process could not be started, with the member of the request that is to blame. */
export function toStartFailure(error: unknown, member: StartFailure["member"], request: ProcessRequest): StartFailure {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const message = error instanceof Error ? error.message : String(error);
	if (member === "pty") return { code: "PTY", member, message };
	// The system tells the number only, which is the same for a directory, a program and its interpreter.
	if (!isDirectory(request.cwd)) return { code, member: "cwd", message };
	return { code, member: code === "E2BIG" ? "args" : member, message };
}

function isDirectory(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}
