import { createHash } from "node:crypto";
import {
	type DutyEntity,
	type EntityKind,
	type EntityMap,
	entityKinds,
	isSvcError,
	type Storage,
	type StoragePlugin,
	SvcError,
	secretMask,
	stringifyJson,
	toErrorMessage,
	type Where,
} from "../../contract/index.ts";
import { createSystemClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import { LeasePolicy } from "../../kernel/coordination/lease-duration.ts";
import { SingletonTask } from "../../kernel/coordination/singleton-task.ts";
import { moveSourceTaskName, moveTargetTaskName } from "../../kernel/nodes/database-move.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { findBeside } from "./beside.ts";
import { type ConfigPlace, createContext, readConfig, withStorage } from "./open-storage.ts";

export interface MoveOptions extends ConfigPlace {
	/** Address of the new database, as the storage plugin takes it. */
	readonly to: string;
	/** Told of each kind that has been copied. */
	readonly onCopied: (kind: string, count: number) => void;
}

export interface MovedKind {
	readonly kind: string;
	readonly source: Digest;
	readonly target: Digest;
	readonly isEqual: boolean;
}

export interface MoveReport {
	readonly kinds: readonly MovedKind[];
	/** What belongs to the service and is in no database. */
	readonly beside: readonly string[];
}

/** Which node does what is of no meaning elsewhere. */
const movedKinds = (Object.keys(entityKinds) as EntityKind[]).filter((kind) => kind !== "node" && kind !== "duty");

/** Seconds. */
const lease = 5;

/**
 * Copy everything that the configured database holds to an empty one and compare the two. May be interrupted at any point and run
 * again; it then goes on.
 */
export async function moveDatabase({ to, onCopied, ...place }: MoveOptions): Promise<MoveReport> {
	const config = await readConfig(place);
	try {
		const target = toTarget(config.storage, to);
		return await withStorage(config.storage, config, async (from) => {
			await assertUnused(from, "source");
			return withStorage(target, config, (storage) => move({ from, to: storage, config, onCopied }));
		});
	} catch (error) {
		throw withoutSecrets(error, to);
	}
}

function toTarget(storage: StoragePlugin, address: string): StoragePlugin {
	if (storage.at === undefined) throw new SvcError("SVC_CONFIG", `storage "${storage.name}" cannot be moved: it has no other addresses`);
	return storage.at(address);
}

interface Move {
	readonly from: Storage;
	readonly to: Storage;
	readonly config: ResolvedConfig;
	readonly onCopied: MoveOptions["onCopied"];
}

/** Under a duty, so that of several attempts one moves, and no service starts on the old database meanwhile. */
async function move(parts: Move): Promise<MoveReport> {
	const { logger, nodeId } = createContext(parts.config);
	let report: MoveReport | undefined;
	const held = { storage: parts.from, clock: createSystemClock(), nodeId, leaseSeconds: lease };
	const duty = new SingletonTask(
		{ ...held, logger, leasing: new LeasePolicy(held) },
		{
			name: moveSourceTaskName,
			intervalSeconds: 0,
			async work(signal) {
				report = await copyAndCompare(parts, signal);
			},
		},
	);
	try {
		// An attempt that was killed holds the duty of a shared database for a while.
		for (const end = performance.now() + lease * 2_000; report === undefined && !(await duty.runNow()); ) {
			if (performance.now() > end) throw new SvcError("SVC_CONFLICT", "the database is being moved already by another process");
			await settledWithin(new Promise(() => {}), 200);
		}
	} finally {
		await duty.stop();
	}
	return report as MoveReport;
}

async function copyAndCompare({ from, to, config, onCopied }: Move, signal: AbortSignal): Promise<MoveReport> {
	const [source] = await from.find("duty", { where: { name: moveSourceTaskName }, limit: 1 });
	await assertUnused(to, "target");
	const target = await claimTarget(to, source?.id ?? "", movedKinds);
	for (const kind of movedKinds) {
		if (signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the old database was lost while it was moved; run the command again");
		onCopied(kind, await copyRecords(from, to, kind));
	}
	const kinds: MovedKind[] = [];
	for (const kind of movedKinds) {
		const [before, after] = await Promise.all([digest(from, kind), digest(to, kind)]);
		kinds.push({ kind, source: before, target: after, isEqual: before.count === after.count && before.hash === after.hash });
	}
	if (kinds.every(({ isEqual }) => isEqual)) await finishTarget(to, target, toTimestamp(createSystemClock().now()));
	return { kinds, beside: findBeside(config) };
}

/** How many records of a kind there are, and a hash of all they hold. */
export interface Digest {
	readonly count: number;
	/** SHA-256, hex. */
	readonly hash: string;
}

/** Digest of all records of a kind in the order of their ids; members of JSON in the order in which they are kept. */
export async function digest(storage: Storage, kind: EntityKind): Promise<Digest> {
	const fields = Object.keys(entityKinds[kind].fields);
	const hash = createHash("sha256");
	let count = 0;
	for await (const page of readPages(storage, kind, "")) {
		count += page.length;
		for (const entity of page) {
			const values: Readonly<Record<string, unknown>> = { ...entity };
			hash.update(`${stringifyJson(fields.map((field) => values[field]))}\n`);
		}
	}
	return { count, hash: hash.digest("hex") };
}

/** Milliseconds that the target may be away for. */
const patience = 30_000;

/**
 * Copy the records of a kind that the target does not have yet: how many. They come in the order of their ids and a page is there
 * whole or not at all, so the last id in the target says where to go on.
 */
export async function copyRecords<K extends EntityKind>(source: Storage, target: Storage, kind: K): Promise<number> {
	let count = 0;
	for await (const page of readPages(source, kind, await findLastId(target, kind))) {
		await insertPage(target, kind, page);
		count += page.length;
	}
	return count;
}

async function insertPage<K extends EntityKind>(target: Storage, kind: K, page: readonly EntityMap[K][]): Promise<void> {
	const lastId = page.at(-1)?.id ?? "";
	const end = performance.now() + patience;
	let isRepeated = false;
	const attempt = async () => {
		// The answer to an attempt that was made may have got lost.
		if (isRepeated && (await findLastId(target, kind)) >= lastId) return;
		await target.insert(kind, page);
	};
	await retryWhileUnavailable(attempt, {
		shouldGiveUp: () => performance.now() > end,
		onUnavailable() {
			isRepeated = true;
		},
	});
}

async function findLastId(storage: Storage, kind: EntityKind): Promise<string> {
	const [last] = await storage.find(kind, { orderBy: [["id", "desc"]], limit: 1, fields: ["id"] });
	return last?.id ?? "";
}

/** `SVC_CONFLICT` when a node works on the database. One that a single process can use is locked by its storage. */
export async function assertUnused(storage: Storage, role: "source" | "target"): Promise<void> {
	const where = { expires_at: { gt: toTimestamp(createSystemClock().now()) } };
	const [node] = await storage.find("node", { where, limit: 1 });
	if (node === undefined) return;
	const message = `the ${role} is in use by node "${node.name}" (${node.hostname}, pid ${node.pid}); stop the service on every node first`;
	throw new SvcError("SVC_CONFLICT", message);
}

/**
 * The record that the database is the target of this move: it is empty, or an earlier attempt of the same move has begun to fill it.
 * `SVC_CONFLICT` for any other.
 */
export async function claimTarget(target: Storage, id: string, kinds: readonly EntityKind[]): Promise<DutyEntity> {
	const known = await read(target);
	if (known === undefined) {
		await assertEmpty(target, kinds);
		const fresh = { id, name: moveTargetTaskName, owner: null, fence: null, lease_expires_at: null, done_at: null };
		// Of two moves that begin at the same moment one is told below that it is not its target.
		await insertIfAbsent(() => target.insert("duty", [fresh]));
	}
	const claimed = known ?? (await read(target));
	if (claimed?.id !== id) throw new SvcError("SVC_CONFLICT", "another database is being moved to the target; use an empty one");
	if (claimed.done_at !== null) {
		throw new SvcError("SVC_CONFLICT", `the database was moved to the target at ${claimed.done_at} already; nothing was copied`);
	}
	return claimed;
}

/** Everything is there: services may use it. */
export async function finishTarget(target: Storage, { id }: DutyEntity, timestamp: string): Promise<void> {
	await target.update("duty", id, { done_at: timestamp });
}

async function read(target: Storage): Promise<DutyEntity | undefined> {
	const [record] = await target.find("duty", { where: { name: moveTargetTaskName }, limit: 1 });
	return record;
}

async function assertEmpty(target: Storage, kinds: readonly EntityKind[]): Promise<void> {
	const held: string[] = [];
	for (const kind of kinds) {
		const count = await target.count(kind, {});
		if (count > 0) held.push(`${kind} ${count}`);
	}
	if (held.length > 0) throw new SvcError("SVC_CONFLICT", `the target is not empty, use one that is; it holds ${held.join(", ")}`);
}

/** The error without the password of an address, wherever a driver may have put it. */
export function withoutSecrets(error: unknown, address: string): unknown {
	const secrets = findSecrets(address).filter((secret) => secret !== "");
	const message = toErrorMessage(error);
	if (!secrets.some((secret) => message.includes(secret))) return error;
	const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, secretMask), message);
	return new SvcError(isSvcError(error) ? error.code : "SVC_UNAVAILABLE", hidden);
}

function findSecrets(address: string): string[] {
	const [, given = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:([^/?#]*)@/i.exec(address) ?? [];
	const [, asked = ""] = /[?&]password=([^&#]*)/i.exec(address) ?? [];
	return [given, asked].flatMap((secret) => [secret, decode(secret)]);
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Characters of JSON that a page should come to. */
const pageSize = 2_000_000;
const mostRecords = 1_000;

/** All records of a kind with ids after `after`, in the order of their ids; pages adapt to the size of the records. */
export async function* readPages<K extends EntityKind>(storage: Storage, kind: K, after: string): AsyncGenerator<readonly EntityMap[K][]> {
	let limit = 32;
	for (let last = after; ; ) {
		const page = await storage.find(kind, { where: { id: { gt: last } } as Where<EntityMap[K]>, limit });
		const final = page.at(-1);
		if (final === undefined) return;
		yield page;
		last = final.id;
		const average = stringifyJson(page).length / page.length;
		limit = Math.max(1, Math.min(mostRecords, limit * 4, Math.floor(pageSize / average)));
	}
}
