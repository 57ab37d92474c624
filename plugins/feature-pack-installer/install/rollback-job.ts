import { type JsonObject, type PackEntity, SvcError } from "../../../core/contract/index.ts";
import type { Uses } from "../../../core/feature.ts";
import type { FollowedPacks } from "./followed-packs.ts";
import { assertInstallable } from "./installed-pack.ts";
import type { Installer } from "./installer.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Job } from "./job-runner.ts";
import type { PackLocks } from "./pack-locks.ts";

export interface RollbackJobDependencies extends Uses<"storage"> {
	readonly installer: Pick<Installer, "restore">;
	readonly locks: PackLocks;
	readonly followedPacks: Pick<FollowedPacks, "assertNone">;
}

/** Creates the job `packs.rollback`. It fetches nothing, because the files of earlier versions are kept. */
export function createRollbackJob({ storage, installer, locks, followedPacks }: RollbackJobDependencies): Job {
	return {
		permission: "pack_install",
		async perform(job) {
			const { report } = job;
			const parameters = new JobParameters(job.parameters);
			const [ref, wanted] = [parameters.text("pack"), parameters.text("version")];
			const onWait = () => report.say(`waiting for another installation of "${ref}"`);
			await locks.with([ref], { signal: report.signal, onWait }, async (signal) => {
				const [known] = await storage.find("pack", { where: { ref }, limit: 1 });
				if (known === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${ref}" is not installed`);
				assertInstallable(ref, known);
				await followedPacks.assertNone([ref]);
				const { version, content, source } = choose(known, wanted);
				await report.say(`back from ${known.version} to ${String(version)}`);
				await installer.restore(
					{ ref, version: String(version), content: String(content), source: source as JsonObject, known },
					job,
					signal,
				);
				report.packs.push(ref);
			});
		},
	};
}

/** Returns the previous version, or the latest one with the given version or at least seven leading characters of its commit or hash. */
function choose({ ref, earlier }: PackEntity, wanted: string): JsonObject {
	const kept = earlier ?? [];
	if (kept.length === 0) throw new SvcError("SVC_INVALID", `pack "${ref}" has no earlier version`);
	const [found] = wanted === "" ? kept : kept.filter((one) => isCalled(one, wanted));
	if (found !== undefined) return found;
	const versions = kept.map(({ version }) => String(version)).join(", ");
	throw new SvcError(
		"SVC_INVALID",
		`version: "${wanted.slice(0, 100)}" is not one of the earlier versions of pack "${ref}", which are: ${versions}`,
	);
}

function isCalled({ version, content, source }: JsonObject, wanted: string): boolean {
	const commit = (source as JsonObject | null)?.["commit"];
	const begins = (text: unknown) => wanted.length >= 7 && typeof text === "string" && text.startsWith(wanted);
	return version === wanted || begins(content) || begins(commit);
}
