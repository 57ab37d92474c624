import { type JsonObject, type PackEntity, SvcError, type WriteOperation } from "../../../core/contract/index.ts";
import {
	findPlatformProblem,
	type PackVersion,
	pythonVersion,
	type SwitchOptions,
	toProblemsError,
	toProblemText,
	toTimestamp,
	type Uses,
} from "../../../core/feature.ts";
import type { FollowedPackEntity } from "../entities.ts";
import type { PackSource } from "../sources/pack-fetcher.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import { assertOwnName, type FollowedPacks, toClaim } from "./followed-packs.ts";
import { type InspectionDependencies, inspectContent } from "./inspect-content.ts";
import type { InstallContents, InstallSwitch } from "./install-services.ts";
import { assertInstallable, toEarlier } from "./installed-pack.ts";
import type { JobReport } from "./job-report.ts";
import type { JobRequest } from "./job-runner.ts";
import type { PackLocks } from "./pack-locks.ts";
import { type CandidatePack, PackSet } from "./pack-set.ts";
import { prepareEnvironments } from "./prepare-environments.ts";
import { Staging, type StagingDependencies } from "./staging.ts";

export interface InstallerDependencies extends StagingDependencies, InspectionDependencies, Uses<"clock" | "logger"> {
	readonly contents: InstallContents;
	readonly switch: InstallSwitch;
	readonly locks: PackLocks;
	readonly followedPacks: Pick<FollowedPacks, "list" | "assertNone">;
	parse(text: string): PackRequest;
}

export interface InstallOptions {
	readonly force: boolean;
	readonly skipDependencies: boolean;
	/** Content hash that each pack must have, by ref. Default: any content is accepted. */
	readonly expected?: ReadonlyMap<string, string>;
	/**
	 * Record of the followed repository that this installation belongs to; it assigns the pack to that repository. Default: an installation
	 * requested by a user.
	 */
	readonly own?: FollowedPackEntity;
}

/** Pack whose files are in the storage but not in use yet. */
interface ReadyPack {
	readonly ref: string;
	readonly version: string;
	readonly content: string;
	readonly directory: string;
	readonly source: PackSource;
	/** Installed pack with this ref; undefined if there is none. */
	readonly known: PackEntity | undefined;
}

/** Request to switch packs. `isOfSite` is true if the configuration requests it, so that no user's permissions are checked. */
type SwitchRequest = JobRequest & { readonly alongside?: readonly WriteOperation[]; readonly isOfSite?: boolean };

/** Earlier version of a pack, whose files are still in the storage and need not be fetched. */
export type KeptPack = Omit<ReadyPack, "directory" | "source"> & { readonly source: JsonObject; readonly known: PackEntity };

/** Installs the requested packs. Only the last step changes anything in use, so that a failure leaves the installed packs unchanged. */
export class Installer {
	readonly #parts: InstallerDependencies;

	constructor(parts: InstallerDependencies) {
		this.#parts = parts;
	}

	/** Installs the requested packs and their dependencies, all or none. Waits for other installations of these packs. */
	async install(requests: readonly PackRequest[], options: InstallOptions, job: JobRequest): Promise<void> {
		const { locks } = this.#parts;
		const { report } = job;
		await Staging.with(this.#parts, job.execution_id, async (staging) => {
			const found = await this.#collect(staging, requests, options, report);
			const onWait = (ref: string) => report.say(`waiting for another installation of "${ref}"`);
			await locks.with(toRefs(found), { signal: report.signal, onWait }, async (signal) => {
				const followed = new Set((await this.#parts.followedPacks.list()).map(({ pack }) => pack));
				const ready: ReadyPack[] = [];
				for (const pack of found) {
					const one = await report.task(`store the files of ${pack.ref} ${pack.version}`, () => this.#keep(pack, options, signal));
					const isKept = isSame(one) || (followed.has(pack.ref) && hasLocked(one, options));
					if (isKept && !options.force) await report.say(`${pack.ref} ${pack.version} is installed already: nothing to do`);
					else ready.push(one);
					report.packs.push(pack.ref);
				}
				await this.#parts.followedPacks.assertNone(toRefs(ready), options.own?.id);
				const alongside = await this.#claim(found, ready, options);
				await this.#switchAll(ready, { ...job, alongside, isOfSite: options.own !== undefined }, { signal });
			});
		});
	}

	/**
	 * Returns the operations that assign the pack to a followed repository. The last pack is the requested one; its dependencies come
	 * before it.
	 */
	async #claim(found: readonly CandidatePack[], ready: readonly ReadyPack[], { own }: InstallOptions): Promise<readonly WriteOperation[]> {
		const ref = found.at(-1)?.ref;
		if (own === undefined || ref === undefined) return [];
		const { storage } = this.#parts;
		assertOwnName(own, ref, (await storage.find("pack", { where: { ref }, limit: 1 }))[0]);
		if (ready.length === 0) await storage.write([toClaim(own, ref)]);
		return [toClaim(own, ref)];
	}

	/** Switches a pack to an earlier version. `pack` describes one of the entries of its `earlier`. */
	async restore(pack: KeptPack, job: JobRequest, signal: AbortSignal): Promise<void> {
		const directory = await this.#parts.contents.directory(pack.ref, pack.content);
		await this.#switchAll([{ ...pack, directory, source: pack.source as unknown as PackSource }], job, { signal, isBack: true });
	}

	/** Fetches and checks all packs before anything is changed. Throws `SVC_CONFLICT` for conflicts, unless `force` is set. */
	async #collect(
		staging: Staging,
		requests: readonly PackRequest[],
		{ force, skipDependencies }: InstallOptions,
		report: JobReport,
	): Promise<readonly CandidatePack[]> {
		const { storage, parse } = this.#parts;
		const installed = await storage.find("pack", {});
		const fetch = (request: PackRequest) =>
			report.task(`fetch ${request.text}`, () => staging.fetch(request, { signal: report.signal, emit: (line) => report.note(line) }));
		const set = new PackSet({ installed, force, skipDependencies, parse, fetch });
		await set.collect(requests);
		const found = set.ordered();
		const conflicts = [...set.conflicts, ...found.flatMap(findVersionProblems)];
		report.conflicts.push(...conflicts);
		for (const warning of [...set.warnings, ...conflicts]) await report.warn(warning);
		for (const { ref } of found)
			assertInstallable(
				ref,
				installed.find((pack) => pack.ref === ref),
			);
		if (conflicts.length > 0 && !force)
			throw new SvcError("SVC_CONFLICT", `nothing was changed: ${conflicts.slice(0, 5).join("; ")} (use force to install anyway)`);
		return found;
	}

	/** Stores the files of a pack, which are not in use yet. Throws `SVC_INVALID` if they differ from the lock file. */
	async #keep({ ref, version, directory, source }: CandidatePack, { expected }: InstallOptions, signal: AbortSignal): Promise<ReadyPack> {
		const { storage, contents } = this.#parts;
		const content = await contents.store(directory, { pack: ref, signal });
		const locked = expected === undefined ? content : expected.get(ref);
		if (locked === undefined) throw new SvcError("SVC_INVALID", `pack "${ref}" is not in the lock file`);
		if (locked !== content)
			throw new SvcError("SVC_INVALID", `pack "${ref}" has files that differ from the lock file: ${content} instead of ${locked}`);
		const [known] = await storage.find("pack", { where: { ref }, limit: 1 });
		return { ref, version, content, source, known, directory: await contents.directory(ref, content) };
	}

	async #switchAll(
		packs: readonly ReadyPack[],
		job: SwitchRequest,
		{ signal, isBack = false }: { readonly signal: AbortSignal; readonly isBack?: boolean },
	): Promise<void> {
		if (packs.length === 0) return;
		const { runners } = this.#parts;
		const { report } = job;
		const names = packs.map(({ ref, version }) => `${ref} ${version}`).join(", ");
		const versions = packs.map((pack) => this.#toVersion(pack, job));
		// Find unusable files before the environments are prepared, which may take minutes.
		await report.task(`check the files of ${names}`, async () => {
			const content = await this.#parts.switch.check(versions, toRegistrant(job));
			// A rollback skips the inspection: the earlier version was in use before, so its mistakes must not block it.
			if (isBack) return;
			const directories = new Map(packs.map(({ ref, directory }) => [ref, directory]));
			const { problems, warnings } = await inspectContent(this.#parts, content, directories);
			if (problems.length > 0) throw toProblemsError(problems);
			for (const warning of warnings) await report.warn(toProblemText(warning));
		});
		for (const { ref, version, directory } of packs) {
			await report.task(`prepare the environment of ${ref} ${version}`, () =>
				prepareEnvironments(runners, { ref, directory, signal }, report),
			);
		}
		signal.throwIfAborted();
		await report.task(`switch to ${names}`, () => this.#switch(packs, versions, job));
		await report.say(`installed: ${names}`);
	}

	#toVersion({ ref, directory, content, source, known }: ReadyPack, { principal, execution_id }: JobRequest): PackVersion {
		const installation = { at: toTimestamp(this.#parts.clock.now()), by: principal.username, execution_id };
		const expected = known?.content ?? null;
		return { pack: ref, directory, content, source: { ...source }, installation, earlier: toEarlier(known, content), expected };
	}

	/** Switches to the new versions in one write: before it, the service uses the old files of all packs, and after it, the new ones. */
	async #switch(packs: readonly ReadyPack[], versions: readonly PackVersion[], job: SwitchRequest): Promise<void> {
		const { execution_id, report, alongside } = job;
		const { logger } = this.#parts;
		const { username } = job.principal;
		const { notes } = await this.#parts.switch.apply(versions, { ...(alongside !== undefined && { alongside }), ...toRegistrant(job) });
		for (const note of notes) await report.warn(toProblemText(note));
		for (const { ref, version, content, source, known } of packs) {
			const { address, revision, commit } = source;
			const from = { source: address, revision, commit };
			logger.info("pack installed", { pack: ref, version, content, ...from, before: known?.version ?? null, user: username, execution_id });
		}
	}
}

/** Returns the user whose permissions on content of other packs are checked. None if the configuration requests the installation. */
function toRegistrant({ principal, isOfSite = false }: SwitchRequest): Pick<SwitchOptions, "principal"> {
	return isOfSite ? {} : { principal };
}

function toRefs(packs: readonly { readonly ref: string }[]): readonly string[] {
	return packs.map(({ ref }) => ref);
}

/** Returns true if the installed files are those that the lock file requires, whatever the address or revision of the request was. */
function hasLocked({ content, known }: ReadyPack, { expected }: InstallOptions): boolean {
	return expected !== undefined && known?.content === content && known.registration !== null;
}

/** Returns true if the same files from the same address and revision are installed and have not been unloaded. */
function isSame({ content, source, known }: ReadyPack): boolean {
	return (
		known?.content === content &&
		known.registration !== null &&
		known.source?.["address"] === source.address &&
		known.source["revision"] === source.revision
	);
}

/** Returns a problem for each requirement in the manifest that this service does not meet: the platform version and the Python version. */
function findVersionProblems({ ref, metadata }: CandidatePack): readonly string[] {
	const platform = findPlatformProblem(metadata);
	const problems = platform === undefined ? [] : [`pack "${ref}": ${platform}`];
	const versions = metadata["python_versions"];
	if (!Array.isArray(versions) || versions.length === 0) return problems;
	if (versions.some((version) => String(version).split(".", 1)[0] === pythonVersion)) return problems;
	return [
		...problems,
		`pack "${ref}" runs with Python ${versions.map(String).join(", ").slice(0, 100)} (python_versions); this is ${pythonVersion}`,
	];
}
