import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning, type ProcessIdentity, parseIdentity, readIdentity } from "./identity.ts";

/** Returns the directory that contains the directories of all runs. */
export function runsDirectory(dataDirectory: string): string {
	return join(dataDirectory, "runs");
}

/** Files of a run on disk, by which a later process of the service finds it. */
export class RunDirectory {
	readonly path: string;
	/** Written to the file `holder`. The process of the service that wrote it last follows the run and may end it. */
	readonly #token = randomUUID();

	constructor(path: string) {
		this.path = path;
	}

	/** Returns the path of a file of the run. */
	file(name: "stdout" | "stderr" | "process" | "status" | "holder"): string {
		return join(this.path, name);
	}

	/** Creates the directory, with empty output files that only this user can read, and holds the run. */
	async create(): Promise<void> {
		await mkdir(this.path, { recursive: true, mode: 0o700 });
		for (const name of ["stdout", "stderr"] as const) await writeFile(this.file(name), "", { mode: 0o600 });
		await this.hold();
	}

	exists(): boolean {
		return existsSync(this.file("stdout"));
	}

	/** Makes this process of the service the holder of the run. */
	async hold(): Promise<void> {
		const text = `${JSON.stringify({ token: this.#token, ...readIdentity("self") })}\n`;
		await writeFile(`${this.file("holder")}.new`, text, { mode: 0o600 });
		await rename(`${this.file("holder")}.new`, this.file("holder"));
	}

	/** Returns false if another process of the service holds the run now. */
	isHeld(): boolean {
		return this.#readHolder()?.token === this.#token;
	}

	/** Returns true if a running process of the service holds the run. */
	isFollowed(): boolean {
		const holder = this.#readHolder();
		return holder !== undefined && isRunning(holder);
	}

	/** Returns the identity of the supervisor; undefined if it has not started. */
	readSupervisor(): ProcessIdentity | undefined {
		const text = readIfExists(this.file("process"));
		return text === undefined ? undefined : parseIdentity(text);
	}

	/** Returns the exit code; undefined while the process runs, or if it ended without one. */
	readExitCode(): number | undefined {
		const text = readIfExists(this.file("status"));
		return text === undefined ? undefined : Number.parseInt(text, 10);
	}

	/** Prevents a supervisor that has not started from starting. Returns false if it has started. */
	async preventStart(): Promise<boolean> {
		try {
			const file = await open(this.file("process"), "wx");
			await file.close();
			return true;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "EEXIST") return (await readFile(this.file("process"), "latin1")) === "";
			throw error;
		}
	}

	async remove(): Promise<void> {
		await rm(this.path, { recursive: true, force: true });
	}

	#readHolder(): (ProcessIdentity & { readonly token: string }) | undefined {
		const text = readIfExists(this.file("holder"));
		return text === undefined ? undefined : JSON.parse(text);
	}
}

function readIfExists(path: string): string | undefined {
	try {
		return readFileSync(path, "latin1");
	} catch {
		return undefined;
	}
}
