import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, statfs, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, SvcError } from "../../../core/contract/index.ts";
import { createBaseEnvironment, type Launcher } from "../../_process/index.ts";
import { raceWithAbort } from "../race-with-abort.ts";
import { takeLock, tryLock } from "./build-lock.ts";
import type { Interpreter } from "./interpreter.ts";
import { type Requirements, readRequirements } from "./read-requirements.ts";

/** Characters from the end of a failed command's output that the error message contains. */
const toldOutput = 4_000;
/** Free disk space in bytes below which most virtualenvs cannot be built. */
const littleRoom = 32 * 1024 * 1024;
/** File written when a virtualenv is complete; without it, the build was interrupted. Its modification time is the time of the last use. */
const completeMark = ".complete";
/** Default milliseconds before an unused virtualenv is removed, and default milliseconds between two updates of the time of use. */
const week = 7 * 24 * 3_600_000;
const hour = 3_600_000;

/** Receives the output of pip. */
export type Tell = (text: string) => Promise<void> | void;

export interface VirtualenvsOptions {
	/** Parent directory. Each set of requirements has a subdirectory, shared by all packs with the same requirements. */
	readonly directory: string;
	readonly interpreter: Interpreter;
	readonly launcher: Launcher;
	readonly logger: Logger;
	/** Arguments for `pip install`. */
	readonly pipArguments: readonly string[];
	/** Packages installed in addition to the requirements of a pack. */
	readonly baseRequirements: readonly string[];
	/** Packs that get no virtualenv despite their requirements; `*` means all packs. Default: none. */
	readonly leftOut?: ReadonlySet<string>;
	/** Milliseconds before an unused virtualenv is removed. Default a week. */
	readonly unusedAfter?: number;
	/**
	 * Milliseconds between two updates of a virtualenv's time of use, which other processes check, and between two removals of unused
	 * virtualenvs. Default an hour.
	 */
	readonly interval?: number;
}

interface Wanted extends Requirements {
	readonly pack: string;
	/** Path of the virtualenv. Changed requirements give another path, so that active runs keep the virtualenv they started with. */
	readonly directory: string;
	readonly tell: Tell;
}

/** The virtualenvs of packs. Each is built from `requirements.txt` when first needed. */
export class Virtualenvs {
	readonly #options: VirtualenvsOptions;
	/** Active and waiting builds, by directory. */
	readonly #builds = new Map<string, Promise<void>>();
	/** Number of current uses, by directory. */
	readonly #users = new Map<string, number>();
	readonly #stopping = new AbortController();
	readonly #sign: NodeJS.Timeout;
	/** Resolves when the last queued build has ended; only one build runs at a time. */
	#last: Promise<void> = Promise.resolve();
	#tidying: Promise<void>;

	constructor(options: VirtualenvsOptions) {
		this.#options = options;
		this.#tidying = this.#tidy();
		this.#sign = setInterval(() => {
			for (const directory of this.#users.keys()) void markUse(directory);
			this.#tidying = this.#tidying.then(() => this.#tidy());
		}, options.interval ?? hour);
		this.#sign.unref();
	}

	/**
	 * Runs the work with the pack's virtualenv, which is built if necessary; undefined for a pack without requirements. The virtualenv is
	 * not removed during the work. Returns `aborted` if the signal aborts before the work has begun; the build continues for later runs.
	 */
	async use<T>(place: PackUse, work: (directory: string | undefined) => Promise<T>): Promise<T | "aborted"> {
		const directory = await raceWithAbort(this.prepare(place), place.signal);
		if (directory === "aborted") return directory;
		if (directory === undefined) return work(undefined);
		this.#users.set(directory, (this.#users.get(directory) ?? 0) + 1);
		try {
			return await work(directory);
		} finally {
			const users = (this.#users.get(directory) ?? 1) - 1;
			if (users > 0) this.#users.set(directory, users);
			else this.#users.delete(directory);
		}
	}

	/**
	 * Builds the pack's virtualenv if it does not exist, and returns its path. Returns undefined for a pack without requirements or one
	 * that is configured to have no virtualenv.
	 */
	async prepare({ pack, packDirectory, files, tell = () => {} }: PackPlace): Promise<string | undefined> {
		const { leftOut } = this.#options;
		if (leftOut?.has(pack) || leftOut?.has("*")) return undefined;
		const requirements = await readRequirements(packDirectory, files).catch((error: unknown) => {
			throw new SvcError("SVC_RUNNER", `the virtualenv of pack "${pack}" cannot be built: ${(error as Error).message}`, { cause: error });
		});
		if (requirements === undefined) return undefined;
		const directory = join(this.#options.directory, this.#fingerprint(requirements));
		if (!(await markUse(directory))) await this.#build({ ...requirements, pack, directory, tell });
		return directory;
	}

	/** Aborts the current build. */
	async stop(): Promise<void> {
		clearInterval(this.#sign);
		this.#stopping.abort(new SvcError("SVC_RUNNER", "the service is stopping"));
		await this.#last;
		await this.#tidying;
	}

	#fingerprint({ wanted, constraints }: Requirements): string {
		const { interpreter, baseRequirements, pipArguments } = this.#options;
		const parts = [wanted, constraints, interpreter, baseRequirements, pipArguments];
		return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
	}

	/** Queues a build, shared by all callers that need the same virtualenv. One build runs at a time. */
	#build(wanted: Wanted): Promise<void> {
		const known = this.#builds.get(wanted.directory);
		if (known !== undefined) return known;
		const build = this.#last.then(() => this.#buildAlone(wanted)).finally(() => this.#builds.delete(wanted.directory));
		this.#builds.set(wanted.directory, build);
		this.#last = build.catch(() => {});
		return build;
	}

	/** Builds a virtualenv under a lock that excludes other processes that share the directory. */
	async #buildAlone(wanted: Wanted): Promise<void> {
		const { directory, pack } = wanted;
		const { signal } = this.#stopping;
		await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
		const lock = await takeLock(`${directory}.lock`, signal, () => markUse(directory)).catch((error: unknown) => {
			if (signal.aborted) throw toStopped(pack);
			throw error;
		});
		if (lock === undefined) return;
		try {
			if (!(await markUse(directory))) await this.#install(wanted);
		} finally {
			await lock.release();
		}
	}

	/** Builds the virtualenv at its final path, because a virtualenv contains its own path in many files. */
	async #install(wanted: Wanted): Promise<void> {
		const { interpreter, pipArguments, baseRequirements, logger } = this.#options;
		const { pack, directory } = wanted;
		logger.info("virtualenv is being built", { pack, directory });
		const started = performance.now();
		try {
			await rm(directory, { recursive: true, force: true });
			await mkdir(directory, { mode: 0o700 });
			await this.#command(wanted, interpreter.file, ["-m", "venv", "--system-site-packages", "--without-pip", directory]);
			// Install exactly the lines that were checked: the files of a pack may change during the build.
			const [requirements, constraints] = [join(directory, "requirements.txt"), join(directory, "constraints.txt")];
			await writeFile(requirements, wanted.wanted.map((line) => `${line}\n`).join(""));
			await writeFile(constraints, wanted.constraints.map((line) => `${line}\n`).join(""));
			const install = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", ...pipArguments];
			const what = ["-r", requirements, "-c", constraints, ...baseRequirements];
			const python = join(directory, "bin", "python");
			await this.#providePip(wanted, python);
			await this.#command(wanted, python, [...install, ...what]);
			await writeFile(join(directory, completeMark), "");
		} catch (error) {
			await rm(directory, { recursive: true, force: true });
			throw error;
		}
		logger.info("virtualenv built", { pack, seconds: Math.round((performance.now() - started) / 1000) });
	}

	/** Installs pip unless the machine's pip can be used. Copying pip takes longer than installing most packages. */
	async #providePip(wanted: Wanted, python: string): Promise<void> {
		const { signal } = this.#stopping;
		const silent = { onStdout: () => {}, onStderr: () => {} };
		const found = await this.#options.launcher.run({
			file: python,
			// Import `pip.__main__`: importing `pip` succeeds even if it is an empty directory.
			args: ["-c", "import pip.__main__"],
			cwd: wanted.directory,
			env: createBaseEnvironment(),
			signal,
			...silent,
		});
		if (signal.aborted) throw toStopped(wanted.pack);
		if (found.code !== 0) await this.#command(wanted, python, ["-m", "ensurepip", "--default-pip"]);
	}

	async #command({ pack, directory, tell }: Wanted, file: string, args: readonly string[]): Promise<void> {
		let output = "";
		const keep = (text: string) => {
			output = (output + text).slice(-toldOutput);
			return tell(text);
		};
		const { signal } = this.#stopping;
		const env = createBaseEnvironment();
		// The working directory is not the pack's directory, where a file could be imported as pip.
		const end = await this.#options.launcher.run({ file, args, cwd: directory, env, signal, onStdout: keep, onStderr: keep });
		if (signal.aborted) throw toStopped(pack);
		if (end.code === 0) return;
		const what = `"${file} ${args.slice(0, 3).join(" ")}" ended with ${end.code ?? end.signal}`;
		throw new SvcError(
			"SVC_RUNNER",
			`the virtualenv of pack "${pack}" cannot be built: ${what}: ${output.trim()}${await tellRoom(directory)}`,
		);
	}

	/** Removes virtualenvs unused for a long time, and remains of interrupted builds. Never rejects. */
	async #tidy(): Promise<void> {
		const { directory, logger } = this.#options;
		for (const name of await readdir(directory).catch(() => [])) {
			if (this.#stopping.signal.aborted) return;
			const path = join(directory, name);
			if (name.endsWith(".lock") || this.#users.has(path) || this.#builds.has(path) || !(await this.#isUnused(path))) continue;
			await this.#remove(path).catch((error: unknown) =>
				logger.warn("an unused virtualenv could not be removed", { directory: path, error }),
			);
		}
	}

	async #remove(path: string): Promise<void> {
		const lock = await tryLock(`${path}.lock`);
		if (lock === undefined) return;
		try {
			if (this.#users.has(path) || !(await this.#isUnused(path))) return;
			// Rename first, so that a concurrent use finds no virtualenv instead of a partly deleted one.
			const moved = `${path}.${randomUUID()}`;
			await rename(path, moved);
			await rm(moved, { recursive: true, force: true });
		} finally {
			await lock.release();
		}
	}

	/**
	 * True if the virtualenv was last used longer than `unusedAfter` ago. The time is that of the completion mark. Without a mark
	 * (interrupted, renamed, earlier version) it is that of the directory.
	 */
	async #isUnused(path: string): Promise<boolean> {
		const found = (await stat(join(path, completeMark)).catch(() => undefined)) ?? (await stat(path).catch(() => undefined));
		return found !== undefined && Date.now() - found.mtimeMs > (this.#options.unusedAfter ?? week);
	}
}

/** A pack and the receiver of output of its build. */
export interface PackPlace {
	readonly pack: string;
	readonly packDirectory: string;
	/** Names of the files with the requirements. Default: those of actions and sensors. */
	readonly files?: readonly string[];
	/** Receives the output of pip. Only the caller that starts a build gets its output. */
	readonly tell?: Tell;
}

interface PackUse extends PackPlace {
	readonly signal: AbortSignal;
}

/**
 * Returns a note on the free disk space if the disk is almost full; otherwise an empty string. Programs do not always report a full disk as
 * the cause.
 */
async function tellRoom(directory: string): Promise<string> {
	const left = await statfs(directory).then(
		({ bavail, bsize }) => bavail * bsize,
		() => Number.POSITIVE_INFINITY,
	);
	return left < littleRoom ? ` (${left} bytes are free on its disk)` : "";
}

function toStopped(pack: string): SvcError {
	return new SvcError("SVC_RUNNER", `the virtualenv of pack "${pack}" was not built: the service is stopping`);
}

/** Returns true if the virtualenv is complete. In that case, sets its time of use to now. */
async function markUse(directory: string): Promise<boolean> {
	return utimes(join(directory, completeMark), new Date(), new Date()).then(
		() => true,
		() => false,
	);
}
