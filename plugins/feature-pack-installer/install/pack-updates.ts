import { type JsonObject, type PackEntity, toErrorMessage } from "../../../core/contract/index.ts";
import { compareVersions } from "../../../core/feature.ts";
import type { PackSource } from "../sources/pack-fetcher.ts";
import type { InstallSources } from "./install-services.ts";
import { toLockedSource } from "./lockfile-entries.ts";

/** Comparison of an installed pack with the version that its source offers now. */
export interface PackUpdate {
	readonly ref: string;
	readonly version: string;
	readonly commit: string | null;
	readonly address: string;
	readonly latest: { readonly version: string | null; readonly revision: string | null; readonly commit: string | null } | null;
	readonly outdated: boolean;
	/** Reason why the source could not be checked; null if it was checked. */
	readonly problem: string | null;
}

/** Number of sources that are checked concurrently. */
const atOnce = 4;

/**
 * Checks the sources of installed packs for newer versions. Returns the results sorted by ref; an unreachable source is a `problem`, not an
 * error.
 */
export async function findPackUpdates(
	sources: Pick<InstallSources, "latest">,
	packs: readonly PackEntity[],
	signal: AbortSignal,
): Promise<readonly PackUpdate[]> {
	const waiting = packs.filter(({ source, content }) => source !== null && content !== null);
	const found: PackUpdate[] = [];
	const worker = async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) found.push(await look(sources, next, signal));
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	return found.sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

async function look(
	sources: Pick<InstallSources, "latest">,
	{ ref, version, source }: PackEntity,
	signal: AbortSignal,
): Promise<PackUpdate> {
	const { commit, address } = toLockedSource(source as JsonObject);
	const known = { ref, version, commit, address };
	try {
		const latest = await sources.latest(source as unknown as PackSource, { signal });
		const isOther = latest.commit !== null && commit !== null ? latest.commit !== commit : isNewer(latest.version, version);
		return { ...known, latest: { ...latest, version: latest.version ?? null }, outdated: isOther, problem: null };
	} catch (error) {
		signal.throwIfAborted();
		return { ...known, latest: null, outdated: false, problem: toErrorMessage(error) };
	}
}

function isNewer(latest: string | undefined, version: string): boolean {
	return latest !== undefined && compareVersions(latest, version) > 0;
}
