import { type PackEntity, SvcError } from "../../../core/contract/index.ts";
import type { Uses } from "../../../core/feature.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { FollowedPacks } from "./followed-packs.ts";
import type { InstallSources } from "./install-services.ts";
import { assertInstallable } from "./installed-pack.ts";
import type { Installer } from "./installer.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Job, JobRequest } from "./job-runner.ts";
import { toLockedSource, toRequest } from "./lockfile-entries.ts";
import { findPackUpdates, type PackUpdate } from "./pack-updates.ts";

export interface UpgradeJobDependencies extends Uses<"storage"> {
	readonly installer: Pick<Installer, "install">;
	readonly sources: Pick<InstallSources, "latest">;
	readonly followedPacks: Pick<FollowedPacks, "list" | "assertNone">;
}

/** Creates the job `packs.upgrade`. */
export function createUpgradeJob({ storage, installer, sources, followedPacks }: UpgradeJobDependencies): Job {
	return {
		permission: "pack_install",
		async perform(job) {
			const parameters = new JobParameters(job.parameters);
			const refs = parameters.texts("packs");
			if ((refs.length === 0) !== parameters.flag("all")) throw new SvcError("SVC_INVALID", "packs: name the packs or set all");
			const all = await storage.find("pack", {});
			await followedPacks.assertNone(refs);
			const chosen = refs.length === 0 ? await leaveFollowed(all, followedPacks, job) : refs.map((ref) => find(all, ref));
			const newer = await job.report.task("check for newer versions", () => findPackUpdates(sources, chosen, job.report.signal));
			const requests = await toRequests(newer, all, job);
			if (requests.length === 0) return job.report.say("all packs are up to date");
			const options = { force: parameters.flag("force"), skipDependencies: parameters.flag("skip_dependencies") };
			return installer.install(requests, options, job);
		},
	};
}

/** Returns the packs without the followed ones, because the service upgrades those from git itself. */
async function leaveFollowed(
	packs: readonly PackEntity[],
	followedPacks: UpgradeJobDependencies["followedPacks"],
	{ report }: JobRequest,
): Promise<readonly PackEntity[]> {
	const followed = new Map((await followedPacks.list()).map(({ pack, source }) => [pack, source]));
	for (const { ref } of packs)
		if (followed.has(ref)) await report.say(`${ref}: skipped, because it is synced from git (${followed.get(ref)})`);
	return packs.filter(({ ref }) => !followed.has(ref));
}

function find(packs: readonly PackEntity[], ref: string): PackEntity {
	const pack = packs.find((one) => one.ref === ref);
	if (pack === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${ref}" is not installed`);
	assertInstallable(ref, pack);
	return pack;
}

async function toRequests(
	newer: readonly PackUpdate[],
	packs: readonly PackEntity[],
	{ report }: JobRequest,
): Promise<readonly PackRequest[]> {
	const requests: PackRequest[] = [];
	for (const { ref, version, latest, outdated, problem } of newer) {
		if (problem !== null) await report.warn(`${ref}: ${problem}`);
		const source = packs.find((pack) => pack.ref === ref)?.source;
		if (!outdated || !source) continue;
		await report.say(`${ref} ${version}: there is ${latest?.version ?? latest?.commit ?? "something newer"}`);
		const from = toLockedSource(source);
		requests.push(toRequest(from, from.kind === "git" ? (latest?.revision ?? from.revision) : null));
	}
	return requests;
}
