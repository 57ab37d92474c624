import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, SvcError } from "../../../core/contract/index.ts";
import { createBaseEnvironment, type Launcher } from "../../_process/index.ts";
import type { Interpreter } from "./interpreter.ts";

/** Characters of a failed command's output that are told. */
const toldOutput = 4_000;
/** Written when an environment is complete; one without it was interrupted. */
const completeMark = ".complete";

export interface VirtualenvsOptions {
	/** Each pack gets a directory in it, with one directory for each state of its requirements. */
	readonly directory: string;
	readonly interpreter: Interpreter;
	readonly launcher: Launcher;
	readonly logger: Logger;
	/** Given to `pip install`. */
	readonly pipArguments: readonly string[];
	/** Installed beside what a pack asks for. */
	readonly baseRequirements: readonly string[];
}

interface Wanted {
	readonly pack: string;
	readonly packDirectory: string;
	/** Where it stands: a change of the requirements leads elsewhere, so that what runs keeps what it began with. */
	readonly directory: string;
}

/** The packs' virtualenvs, each built from `requirements.txt` when it is first needed. */
export class Virtualenvs {
	readonly #options: VirtualenvsOptions;
	/** Those that go on or wait, by directory. */
	readonly #builds = new Map<string, Promise<void>>();
	readonly #tidied = new Set<string>();
	readonly #stopping = new AbortController();
	/** Ends when the last build asked for has ended: one at a time. */
	#last: Promise<void> = Promise.resolve();

	constructor(options: VirtualenvsOptions) {
		this.#options = options;
	}

	/** The pack's virtualenv, built if need be; undefined for a pack without requirements. */
	async provide(pack: string, packDirectory: string): Promise<string | undefined> {
		const requirements = await readRequirements(packDirectory);
		if (requirements === undefined) return undefined;
		const directory = join(this.#options.directory, pack, this.#fingerprint(requirements));
		if (!this.#tidied.has(pack) || !(await isComplete(directory))) await this.#build({ pack, packDirectory, directory });
		return directory;
	}

	/** End a build that goes on. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#last;
	}

	#fingerprint(requirements: string): string {
		const { interpreter, baseRequirements, pipArguments } = this.#options;
		const parts = [requirements, interpreter, baseRequirements, pipArguments];
		return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
	}

	/** One build at a time, for all who wait for it. */
	#build(wanted: Wanted): Promise<void> {
		const known = this.#builds.get(wanted.directory);
		if (known !== undefined) return known;
		const build = this.#last.then(() => this.#prepare(wanted)).finally(() => this.#builds.delete(wanted.directory));
		this.#builds.set(wanted.directory, build);
		this.#last = build.catch(() => {});
		return build;
	}

	async #prepare(wanted: Wanted): Promise<void> {
		await this.#tidy(wanted);
		if (await isComplete(wanted.directory)) return;
		const { logger } = this.#options;
		logger.info("virtualenv is being built", { pack: wanted.pack, directory: wanted.directory });
		const started = performance.now();
		try {
			await this.#install(wanted);
		} catch (error) {
			await rm(wanted.directory, { recursive: true, force: true });
			throw error;
		}
		logger.info("virtualenv built", { pack: wanted.pack, seconds: Math.round((performance.now() - started) / 1000) });
	}

	/** Remove what earlier requirements left. Once for each pack, before anything can run there. */
	async #tidy({ pack, directory }: Wanted): Promise<void> {
		if (this.#tidied.has(pack)) return;
		this.#tidied.add(pack);
		const parent = join(this.#options.directory, pack);
		const names = await readdir(parent).catch(() => []);
		const old = names.map((name) => join(parent, name)).filter((path) => path !== directory);
		await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })));
	}

	/** In place: a virtualenv holds its own path in many files. */
	async #install({ pack, packDirectory, directory }: Wanted): Promise<void> {
		const { interpreter, pipArguments, baseRequirements } = this.#options;
		await rm(directory, { recursive: true, force: true });
		await mkdir(directory, { recursive: true, mode: 0o700 });
		await this.#command(pack, packDirectory, interpreter.file, ["-m", "venv", "--system-site-packages", directory]);
		const install = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", ...pipArguments];
		await this.#command(pack, packDirectory, join(directory, "bin", "python"), [
			...install,
			"-r",
			join(packDirectory, "requirements.txt"),
			...baseRequirements,
		]);
		await writeFile(join(directory, completeMark), "");
	}

	async #command(pack: string, cwd: string, file: string, args: readonly string[]): Promise<void> {
		let output = "";
		const keep = (text: string) => void (output = (output + text).slice(-toldOutput));
		const { signal } = this.#stopping;
		const env = createBaseEnvironment();
		const end = await this.#options.launcher.run({ file, args, cwd, env, signal, onStdout: keep, onStderr: keep });
		if (signal.aborted) throw new SvcError("SVC_RUNNER", `the virtualenv of pack "${pack}" was not built: the service is stopping`);
		if (end.code === 0) return;
		throw new SvcError(
			"SVC_RUNNER",
			`the virtualenv of pack "${pack}" cannot be built: "${file} ${args.slice(0, 3).join(" ")}" ended with ${end.code ?? end.signal}: ${output.trim()}`,
		);
	}
}

async function readRequirements(packDirectory: string): Promise<string | undefined> {
	try {
		const text = await readFile(join(packDirectory, "requirements.txt"), "utf8");
		return /^\s*[^#\s]/m.test(text) ? text : undefined;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
}

function isComplete(directory: string): Promise<boolean> {
	return access(join(directory, completeMark)).then(
		() => true,
		() => false,
	);
}
