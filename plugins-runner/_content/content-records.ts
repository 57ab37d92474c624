import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning, type ProcessIdentity, readIdentity } from "../_process/lasting/identity.ts";

/** A worktree that is to be removed when its run has ended. */
export interface ContentRecord {
	readonly directory: string;
	readonly packDirectory: string;
}

const ending = ".json";

/** What is kept on disk of the worktrees in use, so that a later process of the service finds those of one that was killed. */
export class ContentRecords {
	readonly #directory: string;

	constructor(directory: string) {
		this.#directory = directory;
	}

	async write(liveactionId: string, record: ContentRecord): Promise<void> {
		await mkdir(this.#directory, { recursive: true, mode: 0o700 });
		const text = JSON.stringify({ ...record, owner: readIdentity("self") });
		await writeFile(`${this.#file(liveactionId)}.new`, text, { mode: 0o600 });
		await rename(`${this.#file(liveactionId)}.new`, this.#file(liveactionId));
	}

	async read(liveactionId: string): Promise<(ContentRecord & { readonly owner?: ProcessIdentity }) | undefined> {
		const text = await readFile(this.#file(liveactionId), "utf8").catch(() => undefined);
		return text === undefined ? undefined : JSON.parse(text);
	}

	async remove(liveactionId: string): Promise<void> {
		await rm(this.#file(liveactionId), { force: true });
	}

	/** Runs whose service process is gone. */
	async findLeft(): Promise<readonly string[]> {
		const left: string[] = [];
		for (const name of await readdir(this.#directory).catch(() => [])) {
			if (!name.endsWith(ending)) continue;
			const id = name.slice(0, -ending.length);
			const owner = (await this.read(id))?.owner;
			if (owner === undefined || !isRunning(owner)) left.push(id);
		}
		return left;
	}

	#file(liveactionId: string): string {
		return join(this.#directory, `${liveactionId}${ending}`);
	}
}
