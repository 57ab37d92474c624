import { isSvcError, type Runner, SvcError } from "../../../core/contract/index.ts";
import { type Access, type BackgroundLoop, createExpressions, type Kernel, type Uses } from "../../../core/feature.ts";
import type { PackInstalls } from "../pack-installs.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import { FollowedPacks } from "./followed-packs.ts";
import { createInspectionJobs, type InspectionJobFeatures } from "./inspection-jobs.ts";
import type { InstallContents, InstallSources, InstallSwitch } from "./install-services.ts";
import { Installer } from "./installer.ts";
import { JobParameters } from "./job-parameters.ts";
import { createJobRunner, type Job, type Jobs } from "./job-runner.ts";
import { assertNoPassword, toLockEntries, toLocked, toLockedRequest } from "./lockfile-entries.ts";
import { PackFollowLoop } from "./pack-follow-loop.ts";
import { PackLocks } from "./pack-locks.ts";
import { findPackUpdates } from "./pack-updates.ts";
import { packJob } from "./packs-pack.ts";
import { createRollbackJob } from "./rollback-job.ts";
import { createUninstallJob } from "./uninstall-job.ts";
import { createUpgradeJob } from "./upgrade-job.ts";

export interface PackJobDependencies extends InspectionJobFeatures {
	readonly access: Pick<Access, "assert">;
	readonly sources: InstallSources;
	readonly contents: InstallContents;
	readonly switch: InstallSwitch;
}

/** Creates the runner for actions of the pack `packs`, the information on installed packs, and the background loop for followed packs. */
export function createPackJobs(
	kernel: Kernel,
	needs: PackJobDependencies,
): { readonly runners: ReadonlyMap<string, Runner>; readonly installs: PackInstalls; readonly following: BackgroundLoop } {
	const { storage, clock, authority, dependencies } = kernel;
	const { access, sources } = needs;
	const logger = kernel.logger.withTag("packs");
	const parse = (text: string) => sources.parse(text);
	const packDirectory = (ref: string) => kernel.catalog.packDirectory(ref);
	const packs = dependencies.followedPacks;
	const followedPacks = new FollowedPacks({ storage, clock, packs, parse });
	const locks = new PackLocks({ ...kernel, logger });
	const parts = { ...kernel, ...needs, ...dependencies, packDirectory, logger, parse, locks, followedPacks, packs };
	const installer = new Installer({ ...parts, storage, clock, expressions: createExpressions(kernel.dialects) });
	const following = new PackFollowLoop({ ...parts, storage, clock, sources, systemUser: kernel.options.system_user.user });
	const jobs = {
		...createInspectionJobs({ ...parts, storage }),
		install: createInstallJob({ installer, parse, followedPacks }),
		uninstall: createUninstallJob({ ...parts, storage }),
		upgrade: createUpgradeJob({ storage, installer, sources, followedPacks }),
		unload: createUnloadJob({ ...parts, storage }),
		rollback: createRollbackJob({ ...parts, storage, installer }),
		...createFollowJobs({ installer, followedPacks, following }),
	};
	const installs: PackInstalls = {
		check: async (packs, locked = []) => {
			toLocked(locked, parse);
			await followedPacks.assertNoneMeant(toRequests(packs, parse));
		},
		outdated: async () => findPackUpdates(sources, await storage.find("pack", {}), AbortSignal.timeout(inspectionTimeoutMs)),
		followed: () => followedPacks.list(),
		assertNotFollowed: (...packs) => followedPacks.assertNone(packs),
		lock: async () => toLockEntries(await storage.find("pack", {})),
	};
	const witness = () => kernel.extensions.writeInterceptor;
	const runner = createJobRunner({ storage, now: () => clock.now(), authority, access, jobs, witness });
	return { runners: new Map([[packJob, runner]]), installs, following };
}

/** Maximum number of milliseconds for checking the sources of all installed packs. */
const inspectionTimeoutMs = 120_000;

interface FollowJobOptions {
	readonly installer: Pick<Installer, "install">;
	readonly followedPacks: Pick<FollowedPacks, "source" | "known">;
	readonly following: Pick<PackFollowLoop, "ask">;
}

/**
 * Creates the jobs of followed repositories. `packs.follow` installs the current content of a repository; no other job may install its
 * packs. `packs.look` makes the service check a repository at once.
 */
function createFollowJobs({ installer, followedPacks, following }: FollowJobOptions): Pick<Jobs, "follow" | "look"> {
	return {
		follow: {
			permission: "pack_install",
			async perform(job) {
				const followed = followedPacks.source(new JobParameters(job.parameters).text("source"));
				const own = await followedPacks.known(followed);
				try {
					await installer.install([followed.request], { force: false, skipDependencies: false, own }, job);
				} catch (error) {
					// The same files would fail again, so the next attempt waits for another commit.
					if (isSvcError(error, "SVC_INVALID")) job.report.add({ is_lasting: true });
					throw error;
				}
			},
		},
		look: {
			permission: "pack_install",
			async perform({ parameters, report }) {
				const followed = followedPacks.source(new JobParameters(parameters).text("source"));
				following.ask(followed);
				await report.say(`the service checks ${followed.request.text}; a separate execution installs new commits`);
			},
		},
	};
}

interface InstallJobOptions {
	readonly installer: Pick<Installer, "install">;
	readonly followedPacks: Pick<FollowedPacks, "assertNoneMeant">;
	parse(text: string): PackRequest;
}

/** Creates the job `packs.install`. */
export function createInstallJob({ installer, parse, followedPacks }: InstallJobOptions): Job {
	return {
		permission: "pack_install",
		async perform(job) {
			const parameters = new JobParameters(job.parameters);
			const [packs, locked] = [parameters.texts("packs"), toLocked(parameters.list("locked"), parse)];
			if ((packs.length === 0) === (locked.length === 0))
				throw new SvcError(
					"SVC_INVALID",
					"packs: name at least one pack to install, or give the entries of a lock file as locked without packs",
				);
			const force = parameters.flag("force");
			if (locked.length === 0) {
				const options = { force, skipDependencies: parameters.flag("skip_dependencies") };
				const requests = toRequests(packs, parse);
				await followedPacks.assertNoneMeant(requests);
				return installer.install(requests, options, job);
			}
			// A lock file also contains the dependencies, so they are not collected again.
			const expected = new Map(locked.map(({ ref, content }) => [ref, content]));
			return installer.install(locked.map(toLockedRequest), { force, skipDependencies: true, expected }, job);
		},
	};
}

/** Parses the requested packs. Throws `SVC_INVALID` for the first request that is invalid or contains a password. */
function toRequests(packs: readonly string[], parse: (text: string) => PackRequest): readonly PackRequest[] {
	return packs.map((text) => {
		const request = parse(text);
		assertNoPassword(request);
		return request;
	});
}

interface UnloadJobDependencies extends Uses<"storage" | "logger"> {
	readonly switch: Pick<InstallSwitch, "unload">;
	readonly locks: PackLocks;
	readonly followedPacks: Pick<FollowedPacks, "assertNone">;
}

/**
 * Creates the job `packs.unload`, which removes the content of packs until `packs.load` registers it again. Running executions continue.
 */
function createUnloadJob({ storage, logger, locks, followedPacks, switch: packSwitch }: UnloadJobDependencies): Job {
	return {
		// Requires the permission to uninstall, because unloading also removes content that rules and users depend on.
		permission: "pack_uninstall",
		async perform({ parameters, principal, execution_id, report }) {
			const refs = new JobParameters(parameters).texts("packs");
			if (refs.length === 0) throw new SvcError("SVC_INVALID", "packs: name at least one pack to unload");
			const onWait = (ref: string) => report.say(`waiting for an installation of "${ref}"`);
			await locks.with(refs, { signal: report.signal, onWait }, async (signal) => {
				const known = new Set((await storage.find("pack", { where: { ref: { in: refs } } })).map(({ ref }) => ref));
				const unknown = refs.find((ref) => !known.has(ref));
				if (unknown !== undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${unknown}" is not installed`);
				await followedPacks.assertNone(refs);
				signal.throwIfAborted();
				await report.task(`unload ${refs.join(", ")}`, () => packSwitch.unload(refs));
				logger.info("packs unloaded", { packs: refs, user: principal.username, execution_id });
				report.packs.push(...refs);
			});
		},
	};
}
