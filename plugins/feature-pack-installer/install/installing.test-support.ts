import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, PackEntity, PackPreparation, Runner, Storage } from "../../../core/contract/index.ts";
import type { SwitchOutcome } from "../../../core/features/packs/activation/pack-activation.ts";
import { removeTree } from "../../../core/features/packs/content/content-directory.ts";
import { PackContents } from "../../../core/features/packs/content/pack-contents.ts";
import { readPackDirectory } from "../../../core/features/packs/reading/read-pack-directory.ts";
import type { PackVersion } from "../../../core/features/packs/registration/chosen-packs.ts";
import { notInstalled } from "../../../core/features/packs/registration/not-installed.ts";
import { RegistrationReport } from "../../../core/features/packs/registration/registration-report.ts";
import { toEngineClock } from "../../../core/kernel/basics/clock.ts";
import { createId } from "../../../core/kernel/basics/ids.ts";
import { LeasePolicy } from "../../../core/kernel/coordination/lease-policy.ts";
import { Dialects } from "../../../core/language/dialects.ts";
import { createExpressions } from "../../../core/language/expressions/expressions.ts";
import { createSharedStorage } from "../../../core/testing/engine/shared-storage.test-support.ts";
import { type BenchSettings, logger, SourceBench } from "../sources/pack-fetcher.test-support.ts";
import { FollowedPacks } from "./followed-packs.ts";
import { Installer } from "./installer.ts";
import { JobReport } from "./job-report.ts";
import type { Job } from "./job-runner.ts";
import { createInstallJob } from "./pack-jobs.ts";
import { PackLocks } from "./pack-locks.ts";
import { createRollbackJob } from "./rollback-job.ts";
import { createUninstallJob } from "./uninstall-job.ts";
import { createUpgradeJob } from "./upgrade-job.ts";

const principal = { username: "maria", isAdmin: true, authentication: { method: "none" } } as const;
const clock = toEngineClock({ now: () => Date.now() * 1_000 });

/** What came of a job. */
export interface Done {
	readonly error: string | undefined;
	readonly packs: readonly string[];
	readonly warnings: readonly string[];
	readonly conflicts: readonly string[];
	readonly tasks: readonly string[];
	readonly printed: string;
}

/** Jobs on real repositories and a real storage. What a switch writes is the record of the pack. */
export class InstallBench {
	readonly sources: SourceBench;
	readonly storage: Storage;
	readonly dataDirectory: string;
	/** What is done before a switch writes; may throw. */
	beforeSwitch: (versions: readonly PackVersion[]) => Promise<void> = async () => {};
	/** What is done where files are looked at; may throw. */
	beforeReady: (versions: readonly PackVersion[]) => Promise<void> = async () => {};
	/** What runners do when they make ready. */
	prepare: (pack: PackPreparation) => Promise<void> = async () => {};
	/** Told of all that jobs print. */
	onPrint: (text: string) => unknown = () => {};
	readonly #jobs: Readonly<Record<"install" | "uninstall" | "upgrade" | "rollback", Job>>;
	readonly contents: PackContents;
	#executions = 0;

	constructor(storage: Storage, dataDirectory: string, settings: BenchSettings = {}) {
		this.sources = new SourceBench(settings);
		this.storage = storage;
		this.dataDirectory = dataDirectory;
		const limits = { size: 10_000_000, files: 1_000 };
		this.contents = new PackContents({ storage, clock, logger, limits, root: join(dataDirectory, "packs") });
		const runner = { prepare: (pack: PackPreparation) => this.prepare(pack) } as Runner;
		const parse = (text: string) => this.sources.sources.parse(text);
		const parts = {
			...{ storage, clock, logger, dataDirectory, parse, contents: this.contents, sources: this.sources.sources, dialects: Dialects.none },
			followedPacks: new FollowedPacks({ storage, clock, packs: [], parse }),
			runners: new Map([["scripted", runner]]),
			locks: new PackLocks({ clock, logger, leasing: new LeasePolicy({ storage, clock, nodeId: "a", leaseSeconds: 9 }) }),
			switch: {
				check: async (versions: readonly PackVersion[]) => {
					await this.beforeReady(versions);
					return { actions: [], rules: [], others: [], findAction: async () => undefined };
				},
				apply: (versions: readonly PackVersion[]) => this.#apply(versions),
				unload: async () => {},
				remove: async (refs: readonly string[]) => {
					for (const ref of refs) await storage.remove("pack", { where: { ref } });
				},
			},
		};
		const installer = new Installer({ ...parts, expressions: createExpressions() });
		this.#jobs = {
			install: createInstallJob({ ...parts, installer }),
			uninstall: createUninstallJob(parts),
			upgrade: createUpgradeJob({ ...parts, installer }),
			rollback: createRollbackJob({ ...parts, installer }),
		};
	}

	/** Files of a pack in a repository, committed; the commit. */
	commitPack(
		ref: string,
		version: string,
		more: { readonly manifest?: string; readonly files?: Readonly<Record<string, string>> } = {},
	): string {
		this.sources.write(
			`${ref}/pack.yaml`,
			`ref: ${ref}\nname: ${ref}\ndescription: d\nversion: ${version}\nauthor: a\n${more.manifest ?? ""}`,
		);
		for (const [path, text] of Object.entries(more.files ?? {})) this.sources.write(`${ref}/${path}`, text);
		return this.sources.commit(ref, version);
	}

	/** What is written to ask for it. */
	address(ref: string): string {
		return `file://${join(this.sources.root, ref)}/.git`;
	}

	install(packs: readonly string[], more: JsonObject = {}): Promise<Done> {
		return this.perform("install", { packs, ...more } as JsonObject);
	}

	async perform(
		name: "install" | "uninstall" | "upgrade" | "rollback",
		parameters: JsonObject,
		signal: AbortSignal = new AbortController().signal,
	): Promise<Done> {
		const printed: string[] = [];
		const emit = async (_type: string, text: string) => {
			printed.push(text);
			this.onPrint(text);
		};
		const report = new JobReport({ now: () => clock.now(), signal, emit });
		const execution_id = `execution-${(this.#executions += 1)}`;
		const error = await this.#jobs[name].perform({ parameters, principal, execution_id, report }).then(
			() => undefined,
			(thrown: Error) => thrown.message,
		);
		const { output, tasks } = report.toResult() as unknown as {
			output: { packs_list: string[]; warning_list: string[]; conflict_list: string[] };
			tasks: { name: string; state: string }[];
		};
		return {
			...{ error, packs: output.packs_list, warnings: output.warning_list, conflicts: output.conflict_list },
			tasks: tasks.map(({ name, state }) => `${name}: ${state}`),
			printed: printed.join(""),
		};
	}

	/** Version and content of what is installed, by ref. */
	async installed(): Promise<Readonly<Record<string, string>>> {
		return Object.fromEntries((await this.storage.find("pack", {})).map(({ ref, version }) => [ref, version]));
	}

	async pack(ref: string): Promise<PackEntity> {
		return (await this.storage.find("pack", { where: { ref } }))[0] as PackEntity;
	}

	/** What is left of installations under way. */
	async left(): Promise<readonly string[]> {
		return readdir(join(this.dataDirectory, "pack-staging")).catch(() => []);
	}

	async #apply(versions: readonly PackVersion[]): Promise<SwitchOutcome> {
		await this.beforeSwitch(versions);
		for (const { pack: ref, directory, expected: _expected, ...version } of versions) {
			const { pack, problems } = await readPackDirectory(directory, undefined, { ref, isInstalled: true });
			if (pack === undefined) throw new Error(problems[0]?.message);
			const entity = { ...notInstalled, ...pack, ...version, path: null, registration: createId(clock) };
			const [known] = await this.storage.find("pack", { where: { ref } });
			if (known === undefined) await this.storage.insert("pack", [{ id: createId(clock), ...entity }]);
			else await this.storage.update("pack", known.id, entity);
		}
		return { report: new RegistrationReport(), problems: [], notes: [] };
	}
}

/** Run with a bench on the chosen backend. */
export async function withInstalls(run: (bench: InstallBench) => Promise<void>, settings?: BenchSettings): Promise<void> {
	const { createDoor, release } = createSharedStorage();
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-installs-"));
	const bench = new InstallBench(createDoor().plugin.create(), dataDirectory, settings);
	try {
		await run(bench);
	} finally {
		bench.sources.remove();
		await release();
		await removeTree(join(dataDirectory, "packs"));
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
