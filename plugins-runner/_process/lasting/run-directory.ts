import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning, type ProcessIdentity, parseIdentity, readIdentity } from "./identity.ts";

/** Where all runs have their directories. */
export function runsDirectory(dataDirectory: string): string {
	return join(dataDirectory, "runs");
}

/** What a run keeps on disk, so that a later process of the service finds it. */
export class RunDirectory {
	readonly path: string;
	/** Written to the file `holder`: whoever came last follows the run and may end it. */
	readonly #token = randomUUID();

	constructor(path: string) {
		this.path = path;
	}

	file(name: "stdout" | "stderr" | "process" | "status" | "holder"): string {
		return join(this.path, name);
	}

	/** Make it, with empty output that nobody else can read. */
	async create(): Promise<void> {
		await mkdir(this.path, { recursive: true, mode: 0o700 });
		for (const name of ["stdout", "stderr"] as const) await writeFile(this.file(name), "", { mode: 0o600 });
		await this.hold();
	}

	exists(): boolean {
		return existsSync(this.file("stdout"));
	}

	async hold(): Promise<void> {
		const text = `${JSON.stringify({ token: this.#token, ...readIdentity("self") })}\n`;
		await writeFile(`${this.file("holder")}.new`, text, { mode: 0o600 });
		await rename(`${this.file("holder")}.new`, this.file("holder"));
	}

	/** False once another process of the service has taken the run over. */
	isHeld(): boolean {
		return this.#readHolder()?.token === this.#token;
	}

	/** Whether a service process that still runs follows the run. */
	isFollowed(): boolean {
		const holder = this.#readHolder();
		return holder !== undefined && isRunning(holder);
	}

	/** The supervisor; undefined while it has not begun. */
	readSupervisor(): ProcessIdentity | undefined {
		const text = readIfThere(this.file("process"));
		return text === undefined ? undefined : parseIdentity(text);
	}

	/** The exit code; undefined while the process runs, or when it had no time to tell. */
	readExitCode(): number | undefined {
		const text = readIfThere(this.file("status"));
		return text === undefined ? undefined : Number.parseInt(text, 10);
	}

	/** Keep a supervisor that has not begun from beginning. False when it has begun after all. */
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
		const text = readIfThere(this.file("holder"));
		return text === undefined ? undefined : JSON.parse(text);
	}
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "latin1");
	} catch {
		return undefined;
	}
}
