import { type Logger, type Storage, SvcError } from "../../../contract/index.ts";
import type { FollowedPacks } from "./followed-packs.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Job } from "./job-runner.ts";
import type { Switch } from "./needs.ts";
import type { PackLocks } from "./pack-locks.ts";

export interface UnloadJobParts {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly switch: Pick<Switch, "unload">;
	readonly locks: PackLocks;
	readonly followedPacks: Pick<FollowedPacks, "assertNone">;
}

/** `packs.unload`: nothing of the packs acts any more, and `packs.load` brings them back. What runs goes on to its end. */
export function createUnloadJob({ storage, logger, locks, followedPacks, switch: packSwitch }: UnloadJobParts): Job {
	return {
		// It takes away what rules and people rely on, as a removal does.
		permission: "pack_uninstall",
		async perform({ parameters, principal, execution_id, report }) {
			const refs = new JobParameters(parameters).texts("packs");
			if (refs.length === 0) throw new SvcError("SVC_INVALID", "packs: name the packs that are to be unloaded");
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
