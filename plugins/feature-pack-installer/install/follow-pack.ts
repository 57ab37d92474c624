import {
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type PackEntity,
	type Patch,
	type Storage,
	toErrorMessage,
} from "../../../core/contract/index.ts";
import {
	type Executions,
	fromTimestamp,
	isCompleted,
	type Principal,
	type SubmitInput,
	toSourceText,
	toTimestamp,
	type Uses,
	wait,
} from "../../../core/feature.ts";
import type { FollowedPackEntity } from "../entities.ts";
import type { PackSource } from "../sources/pack-fetcher.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { FollowedPacks, FollowedSource } from "./followed-packs.ts";
import type { InstallSources } from "./install-services.ts";

export interface FollowPackDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly sources: Pick<InstallSources, "latest">;
	readonly executions: Pick<Executions, "submit" | "get">;
	readonly followedPacks: Pick<FollowedPacks, "known">;
	/** Name of the user on whose behalf the packs are installed. */
	readonly systemUser: string;
}

/**
 * Microseconds before a failed installation of the same commit is retried. Only for failures that may be due to the network or this node.
 */
const secondTry = 15 * 60 * 1_000_000;
/** Milliseconds between two polls of the execution that installs a pack. */
const look = 250;

/** Checks a followed repository once. Installs its current commit if that is due, and stores the outcome. */
export async function followPack(parts: FollowPackDependencies, followed: FollowedSource, signal: AbortSignal): Promise<void> {
	const { storage, clock, sources, followedPacks } = parts;
	await finishLast(parts, await followedPacks.known(followed), signal);
	if (signal.aborted) return;
	const known = await followedPacks.known(followed);
	// Use the time before the check, because the check may miss commits that are pushed while it runs.
	const checked_at = toTimestamp(clock.now());
	const note = (patch: Patch<FollowedPackEntity>) => storage.update("followed_pack", known.id, { checked_at, ...patch });
	const later = () => toTimestamp(clock.now() + secondTry);
	try {
		const { commit } = await sources.latest(toSource(followed.request), { signal });
		const pack = await findPack(storage, known);
		if (!isDue(known, { pack, commit, now: clock.now() })) return void (await note(await toState(parts, known, { pack, commit })));
		const { id } = await begin(parts, toSourceText(followed.pack));
		const tried_at = toTimestamp(clock.now());
		await note({ commit, state: "installing", reason: null, execution_id: id, tried_at, retry_at: later() });
		const ended = await untilEnded(parts, id, signal);
		if (ended !== undefined) await note(toOutcome(ended, later()));
	} catch (error) {
		if (signal.aborted) throw error;
		await note({ state: "unreachable", reason: toErrorMessage(error).slice(0, 2_000) });
		parts.logger.warn("syncing a pack from git failed", { source: known.source, error });
	}
}

/**
 * Stores the result of the last installation if no node has done so. The node that started it may have lost the singleton task before the
 * end.
 */
async function finishLast(
	parts: FollowPackDependencies,
	{ id, state, execution_id, retry_at }: FollowedPackEntity,
	signal: AbortSignal,
): Promise<void> {
	if (state !== "installing" || execution_id === null) return;
	const ended = await untilEnded(parts, execution_id, signal).catch((error: unknown) => {
		if (isSvcError(error, "SVC_NOT_FOUND")) return missing;
		throw error;
	});
	if (ended !== undefined) await parts.storage.update("followed_pack", id, toOutcome(ended, retry_at));
}

/** Outcome of an installation whose execution no longer exists. */
const missing = { status: "abandoned", result: null } as const;

interface Looked {
	readonly pack: PackEntity | undefined;
	readonly commit: string;
}

/**
 * Returns true if the commit must be installed: it is new, the installed pack was removed, or the retry of a failed installation is due.
 */
function isDue(
	{ pack: ref, commit: tried, state, retry_at }: FollowedPackEntity,
	{ pack, commit, now }: Looked & { readonly now: number },
): boolean {
	if (tried !== commit || (ref !== null && pack === undefined && state === "installed")) return true;
	if (state === "installed" || pack?.source?.["commit"] === commit) return false;
	return retry_at !== null && now >= fromTimestamp(retry_at);
}

/**
 * Returns the changes to a record whose commit need not be installed. If the repository was unreachable before, they restore the result of
 * the last installation.
 */
async function toState(
	{ executions }: FollowPackDependencies,
	{ state, execution_id, retry_at }: FollowedPackEntity,
	{ pack, commit }: Looked,
): Promise<Patch<FollowedPackEntity>> {
	if (pack?.source?.["commit"] === commit) return { state: "installed", reason: null, retry_at: null };
	if (state !== "unreachable") return {};
	const last = execution_id === null ? undefined : await executions.get(execution_id).catch(() => undefined);
	if (last === undefined || !isCompleted(last.entity.status)) return { state: "failed" };
	return { ...toOutcome(last.entity, retry_at), retry_at };
}

async function findPack(storage: Storage, { pack: ref }: FollowedPackEntity): Promise<PackEntity | undefined> {
	return ref === null ? undefined : (await storage.find("pack", { where: { ref }, limit: 1 }))[0];
}

async function begin({ executions, systemUser }: FollowPackDependencies, source: string): Promise<ExecutionEntity> {
	const principal: Principal = { username: systemUser, isAdmin: true, authentication: { method: "none" } };
	const input: SubmitInput = { action: "packs.follow", parameters: { source }, literalParameters: ["source"] };
	return (await executions.submit(input, principal)).entity;
}

/** Waits for the end of an execution. Returns undefined if the signal aborts first; `finishLast` stores the outcome later. */
async function untilEnded({ executions }: FollowPackDependencies, id: string, signal: AbortSignal): Promise<ExecutionEntity | undefined> {
	while (!signal.aborted) {
		const { entity } = await executions.get(id);
		if (isCompleted(entity.status)) return entity;
		await wait(look, signal);
	}
	return undefined;
}

function toOutcome({ status, result }: Pick<ExecutionEntity, "status" | "result">, later: string | null): Patch<FollowedPackEntity> {
	if (status === "succeeded") return { state: "installed", reason: null, retry_at: null };
	const { output, error } = (result ?? {}) as { readonly output?: JsonObject; readonly error?: unknown };
	const reason = String(error ?? `the installation ended ${status}`).slice(0, 2_000);
	return { state: "failed", reason, retry_at: output?.["is_lasting"] === true ? null : later };
}

function toSource({ address = "", revision, subdirectory }: PackRequest): PackSource {
	return { kind: "git", address, revision: revision ?? null, commit: "", subdirectory: subdirectory ?? null, index: null };
}
