import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, statfs, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, SvcError } from "../../../core/contract/index.ts";
import { createBaseEnvironment, type Launcher } from "../../_process/index.ts";
import { untilAborted } from "../until-aborted.ts";
import { takeLock, tryLock } from "./build-lock.ts";
import type { Interpreter } from "./interpreter.ts";
import { type Requirements, readRequirements } from "./requirements.ts";

/** Characters of a failed command's output that are told. */
const toldOutput = 4_000;
/** Bytes of a disk that are not enough for most virtualenvs. */
const littleRoom = 32 * 1024 * 1024;
/** Written when an environment is complete; one without it was interrupted. Its time is that of the last use. */
const completeMark = ".complete";
/** Milliseconds after which one that nobody has used is removed, and between two signs that it is in use. */
const week = 7 * 24 * 3_600_000;
const hour = 3_600_000;

/** Takes what pip says. */
export type Tell = (text: string) => Promise<void> | void;

export interface VirtualenvsOptions {
	/** Each state of requirements has a directory in it, which all packs share that require the same. */
	readonly directory: string;
	readonly interpreter: Interpreter;
	readonly launcher: Launcher;
	readonly logger: Logger;
	/** Given to `pip install`. */
	readonly pipArguments: readonly string[];
	/** Installed beside what a pack asks for. */
	readonly baseRequirements: readonly string[];
	/** Packs that get none, whatever they ask for; `*`: no pack does. Default: each gets what it asks for. */
	readonly leftOut?: ReadonlySet<string>;
	/** Milliseconds after which one that nobody uses is removed. Default a week. */
	readonly unusedAfter?: number;
	/** Milliseconds between two signs that one is in use, which other processes see, and two looks for unused ones. Default an hour. */
	readonly interval?: number;
}

interface Wanted extends Requirements {
	readonly pack: string;
	/** Where it stands: a change of the requirements leads elsewhere, so that what runs keeps what it began with. */
	readonly directory: string;
	readonly tell: Tell;
}

/** The virtualenvs of packs, each built from what `requirements.txt` says when it is first needed. */
export class Virtualenvs {
	readonly #options: VirtualenvsOptions;
	/** Those that go on or wait, by directory. */
	readonly #builds = new Map<string, Promise<void>>();
	/** How many use each, by directory. */
	readonly #users = new Map<string, number>();
	readonly #stopping = new AbortController();
	readonly #sign: NodeJS.Timeout;
	/** Ends when the last build asked for has ended: one at a time. */
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
	 * Work with the pack's virtualenv, built if need be; undefined for a pack without requirements. It stays while the work goes on. `aborted` when
	 * the signal aborts before the work has begun: the build goes on for the next one.
	 */
	async use<T>(place: PackUse, work: (directory: string | undefined) => Promise<T>): Promise<T | "aborted"> {
		const directory = await untilAborted(this.prepare(place), place.signal);
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

	/** Build the pack's virtualenv where that has not been done; undefined for a pack without requirements, or that is to have none. */
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

	/** End a build that goes on. */
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

	/** One build at a time, for all who wait for it. */
	#build(wanted: Wanted): Promise<void> {
		const known = this.#builds.get(wanted.directory);
		if (known !== undefined) return known;
		const build = this.#last.then(() => this.#buildAlone(wanted)).finally(() => this.#builds.delete(wanted.directory));
		this.#builds.set(wanted.directory, build);
		this.#last = build.catch(() => {});
		return build;
	}

	/** Alone among the processes that share the directory. */
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

	/** In place: a virtualenv holds its own path in many files. */
	async #install(wanted: Wanted): Promise<void> {
		const { interpreter, pipArguments, baseRequirements, logger } = this.#options;
		const { pack, directory } = wanted;
		logger.info("virtualenv is being built", { pack, directory });
		const started = performance.now();
		try {
			await rm(directory, { recursive: true, force: true });
			await mkdir(directory, { mode: 0o700 });
			await this.#command(wanted, interpreter.file, ["-m", "venv", "--system-site-packages", "--without-pip", directory]);
			// What was looked at is what is installed: the files of a pack may change meanwhile.
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

	/** The machine's own pip serves as well, and to copy one takes longer than most packages. */
	async #providePip(wanted: Wanted, python: string): Promise<void> {
		const { signal } = this.#stopping;
		const silent = { onStdout: () => {}, onStderr: () => {} };
		const found = await this.#options.launcher.run({
			file: python,
			// Not `pip` alone, which an empty directory of that name would be.
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
		// Not in the directory of the pack, where a file could stand in for pip.
		const end = await this.#options.launcher.run({ file, args, cwd: directory, env, signal, onStdout: keep, onStderr: keep });
		if (signal.aborted) throw toStopped(pack);
		if (end.code === 0) return;
		const what = `"${file} ${args.slice(0, 3).join(" ")}" ended with ${end.code ?? end.signal}`;
		throw new SvcError(
			"SVC_RUNNER",
			`the virtualenv of pack "${pack}" cannot be built: ${what}: ${output.trim()}${await tellRoom(directory)}`,
		);
	}

	/** Remove what nobody has used for long, and what was left behind. Never rejects. */
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
			// Whoever asks for it from here on finds none, rather than half of one.
			const moved = `${path}.${randomUUID()}`;
			await rename(path, moved);
			await rm(moved, { recursive: true, force: true });
		} finally {
			await lock.release();
		}
	}

	/** By the mark of a complete one, and by itself of what is none: interrupted, moved away, or of an earlier version. */
	async #isUnused(path: string): Promise<boolean> {
		const found = (await stat(join(path, completeMark)).catch(() => undefined)) ?? (await stat(path).catch(() => undefined));
		return found !== undefined && Date.now() - found.mtimeMs > (this.#options.unusedAfter ?? week);
	}
}

/** A pack, and who follows what is done for it. */
export interface PackPlace {
	readonly pack: string;
	readonly packDirectory: string;
	/** Names of the files that say what it needs. Default what its actions and sensors need. */
	readonly files?: readonly string[];
	/** Takes what pip says, of the one for whom it is built. */
	readonly tell?: Tell;
}

interface PackUse extends PackPlace {
	readonly signal: AbortSignal;
}

/** Where the disk is as good as full, how much is left: what is being made does not always say that this was it. */
async function tellRoom(directory: string): Promise<string> {
	const left = await statfs(directory).then(
		({ bavail, bsize }) => bavail * bsize,
		() => Number.POSITIVE_INFINITY,
	);
	return left < littleRoom ? ` (${left} bytes are left on its disk)` : "";
}

function toStopped(pack: string): SvcError {
	return new SvcError("SVC_RUNNER", `the virtualenv of pack "${pack}" was not built: the service is stopping`);
}

/** Whether it is complete; if so, it has been used now. */
async function markUse(directory: string): Promise<boolean> {
	return utimes(join(directory, completeMark), new Date(), new Date()).then(
		() => true,
		() => false,
	);
}
