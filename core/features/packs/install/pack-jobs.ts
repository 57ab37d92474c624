import type { Runner } from "../../../contract/index.ts";
import type { Kernel } from "../../../kernel/kernel.ts";
import type { WorkLoop } from "../../../kernel/nodes/role-loops.ts";
import { createExpressions } from "../../../language/expressions/expressions.ts";
import type { Access } from "../../access/access-api.ts";
import type { PackInstalls } from "../install-api.ts";
import { createFollowJobs } from "./follow-jobs.ts";
import { FollowedPacks } from "./followed-packs.ts";
import { Following } from "./following.ts";
import { createInstallJob, toRequests } from "./install-job.ts";
import { Installer } from "./installer.ts";
import { createJobRunner } from "./job-runner.ts";
import { toLockEntries, toLocked } from "./lock-entries.ts";
import { createLookJobs, type LookNeeds } from "./look-jobs.ts";
import type { Contents, Sources, Switch } from "./needs.ts";
import { findNewer } from "./outdated.ts";
import { PackLocks } from "./pack-locks.ts";
import { packJob } from "./packs-pack.ts";
import { createRollbackJob } from "./rollback-job.ts";
import { createUninstallJob } from "./uninstall-job.ts";
import { createUnloadJob } from "./unload-job.ts";
import { createUpgradeJob } from "./upgrade-job.ts";

export interface PackJobNeeds extends LookNeeds {
	readonly access: Pick<Access, "assert">;
	readonly sources: Sources;
	readonly contents: Contents;
	readonly switch: Switch;
}

/** What runs the actions of the pack `packs`, and tells of what they have installed. */
export function createPackJobs(
	kernel: Kernel,
	needs: PackJobNeeds,
): { readonly runners: ReadonlyMap<string, Runner>; readonly installs: PackInstalls; readonly following: WorkLoop } {
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
	const following = new Following({ ...parts, storage, clock, sources, systemUser: kernel.options.system_user.user });
	const jobs = {
		...createLookJobs({ ...parts, storage }),
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
		outdated: async () => findNewer(sources, await storage.find("pack", {}), AbortSignal.timeout(longestLook)),
		followed: () => followedPacks.list(),
		assertNotFollowed: (...packs) => followedPacks.assertNone(packs),
		lock: async () => toLockEntries(await storage.find("pack", {})),
	};
	const witness = () => kernel.seams.witness;
	const runner = createJobRunner({ storage, now: () => clock.now(), authority, access, jobs, witness });
	return { runners: new Map([[packJob, runner]]), installs, following };
}

/** Milliseconds for which places are asked that packs came from. */
const longestLook = 120_000;
