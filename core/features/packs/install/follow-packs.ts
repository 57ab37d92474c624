import {
	type ExecutionEntity,
	type FollowedPackEntity,
	type GitPack,
	type JsonObject,
	type PackEntity,
	type Patch,
	type Storage,
	SvcError,
	toErrorMessage,
} from "../../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../../../kernel/basics/clock.ts";
import { createId } from "../../../kernel/basics/ids.ts";
import { insertOnce } from "../../../kernel/basics/insert-once.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import { wait } from "../../../kernel/basics/wait.ts";
import type { Executions } from "../../../kernel/executions/executions-api.ts";
import { isCompleted } from "../../../kernel/executions/status.ts";
import type { WorkLoop } from "../../../kernel/nodes/work.ts";
import { Duty, type DutyParts } from "../../../kernel/work/duty.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { PackSource } from "../sources/sources.ts";
import type { Sources } from "./needs.ts";

export interface FollowParts extends DutyParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly sources: Pick<Sources, "parse" | "latest">;
	readonly executions: Pick<Executions, "submit" | "get">;
	/** Whoever installs. */
	readonly systemUser: string;
}

const defaultInterval = 60;
/** Microseconds after which what has failed is tried again, though nothing is new: it may have been the network. */
const secondTry = 15 * 60 * 1_000_000;
/** Milliseconds between two looks at an installation. */
const look = 250;

/** What would be written to install it. */
export function toSourceText({ git, revision, subdirectory }: GitPack): string {
	return `${git}${revision === undefined ? "" : `=${revision}`}${subdirectory === undefined ? "" : `#${subdirectory}`}`;
}

/** Has packs be what their repositories say: one node at a time looks at each, and installs what is new as anybody would. */
export function createFollowing(parts: FollowParts, packs: readonly GitPack[]): WorkLoop {
	let duties: readonly Duty[] = [];
	return {
		start() {
			duties = packs.map((pack) => {
				const name = `follow ${toSourceText(pack)}`;
				const work = (signal: AbortSignal) => followOnce(parts, toSourceText(pack), signal);
				return new Duty(parts, { name, interval: pack.interval ?? defaultInterval, work });
			});
			for (const duty of duties) duty.start();
		},
		async stop() {
			await Promise.all(duties.map((duty) => duty.stop()));
		},
	};
}

/** Look once, and install what is new. */
export async function followOnce(parts: FollowParts, text: string, signal: AbortSignal): Promise<void> {
	const { storage, clock, sources } = parts;
	const now = () => toTimestamp(clock.now());
	const request = sources.parse(text);
	const known = await read(parts, request.text);
	const note = (patch: Patch<FollowedPackEntity>) => storage.update("followed_pack", known.id, { checked_at: now(), ...patch });
	try {
		const { commit } = await sources.latest(toSource(request), { signal });
		const pack = await findPack(storage, known);
		if (!isDue(known, { pack, commit, now: clock.now() })) return void (await note(toState(known, { pack, commit })));
		const { id } = await begin(parts, text);
		await note({ commit, state: "installing", reason: null, execution_id: id, tried_at: now() });
		const ended = await untilEnded(parts, id, signal);
		if (ended !== undefined) await note(toOutcome(ended));
	} catch (error) {
		if (signal.aborted) throw error;
		await note({ state: "unreachable", reason: toErrorMessage(error).slice(0, 2_000) });
		parts.logger.warn("a pack could not be followed", { source: known.source, error });
	}
}

interface Looked {
	readonly pack: PackEntity | undefined;
	readonly commit: string;
}

/** Whether there is something to install: what is new, what somebody has removed, and after a while what has failed. */
function isDue(
	{ pack: ref, commit: tried, state, tried_at }: FollowedPackEntity,
	{ pack, commit, now }: Looked & { readonly now: number },
): boolean {
	if (tried !== commit || (ref !== null && pack === undefined)) return true;
	if (state === "installed" || pack?.source?.["commit"] === commit) return false;
	return tried_at === null || now - fromTimestamp(tried_at) > secondTry;
}

function toState({ state }: FollowedPackEntity, { pack, commit }: Looked): Patch<FollowedPackEntity> {
	if (pack?.source?.["commit"] === commit) return { state: "installed", reason: null };
	return state === "unreachable" ? { state: "failed" } : {};
}

async function findPack(storage: Storage, { pack: ref }: FollowedPackEntity): Promise<PackEntity | undefined> {
	return ref === null ? undefined : (await storage.find("pack", { where: { ref }, limit: 1 }))[0];
}

async function read({ storage, clock }: FollowParts, source: string): Promise<FollowedPackEntity> {
	for (;;) {
		const [known] = await storage.find("followed_pack", { where: { source }, limit: 1 });
		if (known !== undefined) return known;
		const nothing = { pack: null, commit: null, reason: null, execution_id: null, tried_at: null };
		const fresh = { id: createId(clock), source, state: "installing", checked_at: toTimestamp(clock.now()), ...nothing };
		await insertOnce(() => storage.insert("followed_pack", [fresh]));
	}
}

async function begin({ executions, systemUser }: FollowParts, source: string): Promise<ExecutionEntity> {
	const principal: Principal = { username: systemUser, isAdmin: true, authentication: { method: "none" } };
	const input = { action: "packs.install", parameters: { packs: [source] }, literal: ["packs"] };
	return (await executions.submit(input, principal)).entity;
}

/** Undefined where nobody waits any more: it goes on by itself, and is looked at again. */
async function untilEnded({ executions }: FollowParts, id: string, signal: AbortSignal): Promise<ExecutionEntity | undefined> {
	while (!signal.aborted) {
		const { entity } = await executions.get(id);
		if (isCompleted(entity.status)) return entity;
		await wait(look, signal);
	}
	return undefined;
}

function toOutcome({ status, result }: ExecutionEntity): Patch<FollowedPackEntity> {
	const { output, error } = (result ?? {}) as { readonly output?: JsonObject; readonly error?: unknown };
	const refs = output?.["packs_list"];
	if (status !== "succeeded") return { state: "failed", reason: String(error ?? `the installation ended ${status}`).slice(0, 2_000) };
	// What it depends on comes before it.
	return { state: "installed", reason: null, pack: Array.isArray(refs) ? String(refs.at(-1)) : null };
}

function toSource({ address = "", revision, subdirectory }: PackRequest): PackSource {
	return { kind: "git", address, revision: revision ?? null, commit: "", subdirectory: subdirectory ?? null, index: null };
}

/** How far each has come that the configuration has the service follow. */
export async function listFollowed(
	storage: Storage,
	packs: readonly GitPack[],
	parse: (text: string) => PackRequest,
): Promise<readonly FollowedPackEntity[]> {
	if (packs.length === 0) return [];
	const wanted = new Set(packs.map((pack) => parse(toSourceText(pack)).text));
	return (await storage.find("followed_pack", { orderBy: [["source", "asc"]] })).filter(({ source }) => wanted.has(source));
}

/** `SVC_INVALID` when one of the packs is among those that are followed. */
export function assertNotFollowed(followed: readonly FollowedPackEntity[], packs: readonly string[]): void {
	const found = followed.find(({ pack }) => pack !== null && packs.includes(pack));
	if (found === undefined) return;
	throw new SvcError("SVC_INVALID", `pack: the service follows "${found.pack}" in git (${found.source}): change it there`);
}
