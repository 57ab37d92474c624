import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Logger, SvcError } from "../../../core/contract/index.ts";
import { createBaseEnvironment } from "../../_process/index.ts";
import { pythonSource } from "../python-source.ts";
import type { Installation } from "./installation.ts";
import { snapshotProgram, toSnapshotArguments } from "./worker-arguments.ts";

/** Milliseconds before making a snapshot fails; on a slow and busy machine it takes several seconds. */
const snapshotTimeoutMs = 180_000;
const ending = ".snapshot";

export interface Snapshot {
	readonly file: string;
	readonly recipe: string;
}

/** Stores the snapshot of an idle interpreter. It is made when first needed; loading it takes a fraction of the normal start time. */
export class SnapshotStore {
	readonly #directory: string;
	readonly #installation: Installation;
	readonly #logger: Logger;
	readonly #stopping = new AbortController();
	#present: Promise<Snapshot> | undefined;

	constructor(options: { readonly directory: string; readonly installation: Installation; readonly logger: Logger }) {
		this.#directory = options.directory;
		this.#installation = options.installation;
		this.#logger = options.logger;
	}

	/** Returns the snapshot, made if it does not exist. The file may be damaged; workers check it when they load it. */
	get(): Promise<Snapshot> {
		this.#present ??= this.#find().catch((error: unknown) => {
			// Forget the failure, so that the next run tries again.
			this.#present = undefined;
			throw error;
		});
		return this.#present;
	}

	/** Removes a damaged snapshot, so that a new one is made. Has no effect if another caller has already replaced it. */
	async replace(broken: Snapshot): Promise<void> {
		if ((await this.#present) !== broken) return;
		this.#logger.warn("snapshot of the interpreter is damaged or outdated; it will be created again", { file: broken.file });
		this.#present = undefined;
		await rm(broken.file, { force: true });
	}

	stop(): void {
		this.#stopping.abort();
	}

	async #find(): Promise<Snapshot> {
		const file = join(this.#directory, `${process.version}-${this.#installation.version}${ending}`);
		const snapshot = { file, recipe: await readRecipe() };
		const exists = await access(file).then(
			() => true,
			() => false,
		);
		if (!exists) await this.#make(snapshot);
		return snapshot;
	}

	async #make({ file, recipe }: Snapshot): Promise<void> {
		await mkdir(this.#directory, { recursive: true, mode: 0o700 });
		await this.#removeOthers();
		const started = performance.now();
		const args = toSnapshotArguments({ pyodide: this.#installation.module, recipe, python: pythonSource, file });
		try {
			const options = {
				env: createBaseEnvironment(),
				timeout: snapshotTimeoutMs,
				killSignal: "SIGKILL",
				signal: this.#stopping.signal,
			} as const;
			await promisify(execFile)(process.execPath, args, options);
		} catch (cause) {
			throw new SvcError("SVC_RUNNER", "the snapshot of the Python interpreter could not be created", { cause });
		}
		this.#logger.info("snapshot of the interpreter created", { file, milliseconds: Math.round(performance.now() - started) });
	}

	/** Removes snapshots of earlier versions and unfinished files. */
	async #removeOthers(): Promise<void> {
		for (const name of await readdir(this.#directory)) {
			if (name.includes(ending)) await rm(join(this.#directory, name), { force: true });
		}
	}
}

/** Returns a digest of the Python sources in the snapshot and of the program that makes it. */
async function readRecipe(): Promise<string> {
	const names = (await readdir(pythonSource, { recursive: true })).filter((name) => name.endsWith(".py")).sort();
	const hash = createHash("sha256").update(await readFile(snapshotProgram));
	for (const name of names) hash.update(`${name}\0`).update(await readFile(join(pythonSource, name)));
	return hash.digest("hex");
}
