import { type PackEntity, SvcError } from "../../../core/contract/index.ts";
import type { Uses } from "../../../core/feature.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { FollowedPacks } from "./followed-packs.ts";
import type { InstallSwitch } from "./install-services.ts";
import { assertInstallable } from "./installed-pack.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Job, JobRequest } from "./job-runner.ts";
import type { PackLocks } from "./pack-locks.ts";
import { isMeant, toDependencies } from "./pack-set.ts";

export interface UninstallJobDependencies extends Uses<"storage" | "logger"> {
	readonly switch: Pick<InstallSwitch, "remove">;
	readonly locks: PackLocks;
	readonly followedPacks: Pick<FollowedPacks, "assertNone">;
	parse(text: string): PackRequest;
}

/** Creates the job `packs.uninstall`. Running executions continue with the files with which they started. */
export function createUninstallJob(parts: UninstallJobDependencies): Job {
	return {
		permission: "pack_uninstall",
		async perform(job) {
			const parameters = new JobParameters(job.parameters);
			const refs = parameters.texts("packs");
			if (refs.length === 0) throw new SvcError("SVC_INVALID", "packs: name at least one pack to uninstall");
			const { report } = job;
			const onWait = (ref: string) => report.say(`waiting for an installation of "${ref}"`);
			await parts.locks.with(refs, { signal: report.signal, onWait }, async (signal) => {
				const packs = await report.task("check the packs", () => findRemovable(parts, refs, parameters.flag("force"), job));
				signal.throwIfAborted();
				await report.task(`remove ${packs.map(({ ref, version }) => `${ref} ${version}`).join(", ")}`, () => parts.switch.remove(refs));
				for (const { ref, version, content } of packs) {
					const by = { user: job.principal.username, execution_id: job.execution_id };
					parts.logger.info("pack uninstalled", { pack: ref, version, content, ...by });
					report.packs.push(ref);
				}
			});
		},
	};
}

/** Returns the packs to remove. Reports all problems before anything is removed, so that either all packs are removed or none. */
async function findRemovable(
	{ storage, parse, followedPacks }: UninstallJobDependencies,
	refs: readonly string[],
	force: boolean,
	{ report }: JobRequest,
): Promise<readonly PackEntity[]> {
	const all = await storage.find("pack", {});
	const packs = refs.map((ref) => {
		const pack = all.find((one) => one.ref === ref);
		if (pack === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${ref}" is not installed`);
		assertInstallable(ref, pack);
		return pack;
	});
	await followedPacks.assertNone(refs);
	for (const other of all) {
		if (refs.includes(other.ref)) continue;
		for (const request of requestsOf(other, parse)) {
			const needed = packs.find((pack) => isMeant(pack, request));
			if (needed !== undefined) report.conflicts.push(`pack "${other.ref}" depends on "${needed.ref}"`);
		}
	}
	for (const conflict of report.conflicts) await report.warn(conflict);
	if (report.conflicts.length > 0 && !force)
		throw new SvcError("SVC_CONFLICT", `nothing was changed: ${report.conflicts.slice(0, 5).join("; ")} (use force to remove anyway)`);
	return packs;
}

function requestsOf({ metadata }: PackEntity, parse: (text: string) => PackRequest): readonly PackRequest[] {
	return toDependencies(metadata).flatMap((text) => {
		try {
			return [parse(String(text))];
		} catch {
			return [];
		}
	});
}
