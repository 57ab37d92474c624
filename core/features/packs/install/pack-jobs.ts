import type { Runner } from "../../../contract/index.ts";
import type { Kernel } from "../../../kernel/kernel.ts";
import type { WorkLoop } from "../../../kernel/nodes/work.ts";
import type { Access } from "../../access/access-api.ts";
import type { PackInstalls } from "../install-api.ts";
import { assertNotFollowed, createFollowing, listFollowed } from "./follow-packs.ts";
import { createInstallJob, toRequests } from "./install-job.ts";
import { Installer } from "./installer.ts";
import { createJobRunner } from "./job-runner.ts";
import { toLockEntries } from "./lock-entries.ts";
import { createLookJobs, type LookNeeds } from "./look-jobs.ts";
import type { Contents, Sources, Switch } from "./needs.ts";
import { findNewer } from "./outdated.ts";
import { PackLocks } from "./pack-locks.ts";
import { packJob } from "./packs-pack.ts";
import { createRollbackJob } from "./rollback-job.ts";
import { createUninstallJob } from "./uninstall-job.ts";
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
	const parts = { ...kernel, ...needs, ...dependencies, packDirectory, logger, parse, locks: new PackLocks({ ...kernel, logger }) };
	const installer = new Installer({ ...parts, storage, clock });
	const jobs = {
		...createLookJobs({ ...parts, storage }),
		install: createInstallJob({ installer, parse }),
		uninstall: createUninstallJob({ ...parts, storage }),
		upgrade: createUpgradeJob({ storage, installer, sources }),
		rollback: createRollbackJob({ ...parts, storage, installer }),
	};
	const followed = () => listFollowed(storage, dependencies.followedPacks, parse);
	const installs: PackInstalls = {
		check: (packs) => void toRequests(packs, parse),
		outdated: async () => findNewer(sources, await storage.find("pack", {}), AbortSignal.timeout(longestLook)),
		followed,
		assertNotFollowed: async (...packs) => assertNotFollowed(await followed(), packs),
		lock: async () => toLockEntries(await storage.find("pack", {})),
	};
	const { executions } = kernel;
	const following = createFollowing(
		{ ...parts, storage, clock, sources, executions, systemUser: kernel.options.system_user.user },
		dependencies.followedPacks,
	);
	const runner = createJobRunner({ storage, now: () => clock.now(), authority, access, jobs });
	return { runners: new Map([[packJob, runner]]), installs, following };
}

/** Milliseconds for which places are asked that packs came from. */
const longestLook = 120_000;
