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
} from "../../core/contract/index.ts";
import { getSystemClock, toTimestamp } from "../../core/kernel/basics/clock.ts";
import { insertIfAbsent } from "../../core/kernel/basics/insert-if-absent.ts";
import { LeasePolicy } from "../../core/kernel/coordination/lease-policy.ts";
import { SingletonTask } from "../../core/kernel/coordination/singleton-task.ts";
import { moveSourceTaskName, moveTargetTaskName } from "../../core/kernel/nodes/database-move-guard.ts";
import { retryWhileUnavailable } from "../../core/lib/retry-while-unavailable.ts";
import { settledWithin } from "../../core/lib/wait.ts";
import type { ResolvedConfig } from "../../core/service/config/resolve-config.ts";
import { findFilesBesideDatabase } from "../../core/service/database/files-outside-database.ts";
import { type ConfigSource, createContext, readConfig, withStorage } from "../../core/service/database/open-storage.ts";

export interface MoveOptions extends ConfigSource {
	/** Address of the new database, in the format of the storage plugin. */
	readonly to: string;
	/** Called after all records of a kind have been copied. */
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
	/** Paths of files and directories that a move does not copy, each with its purpose. */
	readonly beside: readonly string[];
}

/**
 * Returns the kinds of records to copy, including those of the features that the configuration adds. Nodes and singleton tasks are left
 * out: they only describe which node of the old database does what.
 */
const toMovedKinds = () => (Object.keys(entityKinds) as EntityKind[]).filter((kind) => kind !== "node" && kind !== "duty");

/** Seconds of the lease of the singleton task. */
const lease = 5;

/**
 * Copies all records of the configured database to an empty one and compares the two. After an interruption at any point, another call
 * continues.
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
	if (storage.at === undefined) throw new SvcError("SVC_CONFIG", `storage "${storage.name}" cannot be moved: it has no address`);
	return storage.at(address);
}

interface Move {
	readonly from: Storage;
	readonly to: Storage;
	readonly config: ResolvedConfig;
	readonly onCopied: MoveOptions["onCopied"];
}

/**
 * Runs the move as a singleton task, so that only one of several processes moves the database, and no service starts on the old database
 * during the move.
 */
async function move(parts: Move): Promise<MoveReport> {
	const { logger, nodeId } = createContext(parts.config);
	let report: MoveReport | undefined;
	const held = { storage: parts.from, clock: getSystemClock(), nodeId, leaseSeconds: lease };
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
		// In a shared database, an attempt that was killed holds the task until its lease expires, so retry for twice the lease.
		for (const end = performance.now() + lease * 2_000; report === undefined && !(await duty.runNow()); ) {
			if (performance.now() > end) throw new SvcError("SVC_CONFLICT", "another process is already moving the database");
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
	const target = await claimTarget(to, source?.id ?? "", toMovedKinds());
	for (const kind of toMovedKinds()) {
		if (signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the connection to the old database was lost; run the command again");
		onCopied(kind, await copyRecords(from, to, kind));
	}
	const kinds: MovedKind[] = [];
	for (const kind of toMovedKinds()) {
		const [before, after] = await Promise.all([digest(from, kind), digest(to, kind)]);
		kinds.push({ kind, source: before, target: after, isEqual: before.count === after.count && before.hash === after.hash });
	}
	if (kinds.every(({ isEqual }) => isEqual)) await finishTarget(to, target, toTimestamp(getSystemClock().now()));
	return { kinds, beside: findFilesBesideDatabase(config) };
}

/** Number of records of a kind, and a hash of all their contents. */
export interface Digest {
	readonly count: number;
	/** SHA-256, in hexadecimal. */
	readonly hash: string;
}

/** Returns the digest of all records of a kind, in the order of their ids. Members of JSON values are hashed in their stored order. */
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

/** Milliseconds for which an unavailable target is retried. */
const retryTimeoutMs = 30_000;

/**
 * Copies the records of a kind that the target does not have yet. Returns how many were copied. They are copied in the order of their ids,
 * and each page is inserted atomically. The last id in the target therefore determines where copying continues.
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
	const end = performance.now() + retryTimeoutMs;
	let isRepeated = false;
	const attempt = async () => {
		// The response to a successful attempt may have been lost; inserting the page again would fail.
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

/** Throws `SVC_CONFLICT` if a node uses the database. A storage for a single process locks its database itself. */
export async function assertUnused(storage: Storage, role: "source" | "target"): Promise<void> {
	const where = { expires_at: { gt: toTimestamp(getSystemClock().now()) } };
	const [node] = await storage.find("node", { where, limit: 1 });
	if (node === undefined) return;
	const message = `the ${role} is in use by node "${node.name}" (${node.hostname}, pid ${node.pid}); stop the service on every node first`;
	throw new SvcError("SVC_CONFLICT", message);
}

/**
 * Returns the record that marks the database as the target of this move. Creates it if the database is empty; an earlier attempt of the
 * same move may have created it and copied records. Throws `SVC_CONFLICT` for any other database.
 */
export async function claimTarget(target: Storage, id: string, kinds: readonly EntityKind[]): Promise<DutyEntity> {
	const known = await read(target);
	if (known === undefined) {
		await assertEmpty(target, kinds);
		const fresh = { id, name: moveTargetTaskName, owner: null, fence: null, lease_expires_at: null, done_at: null };
		// If two moves begin at the same time, only one record is inserted. The other move then finds the wrong id below and fails.
		await insertIfAbsent(() => target.insert("duty", [fresh]));
	}
	const claimed = known ?? (await read(target));
	if (claimed?.id !== id) throw new SvcError("SVC_CONFLICT", "another database is being moved to the target; use an empty database");
	if (claimed.done_at !== null) {
		throw new SvcError("SVC_CONFLICT", `the database was already moved to the target at ${claimed.done_at}; nothing was copied`);
	}
	return claimed;
}

/** Records that the move is complete, so that services may use the target. */
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
	if (held.length > 0) throw new SvcError("SVC_CONFLICT", `the target must be an empty database; it contains ${held.join(", ")}`);
}

/** Returns the error with the passwords of the address masked, because a driver may have included them in its message. */
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

/** Target size of a page, in characters of JSON. */
const pageSize = 2_000_000;
const maxRecords = 1_000;

/** Yields all records of a kind with ids after `after`, in the order of their ids. The page size adapts to the size of the records. */
export async function* readPages<K extends EntityKind>(storage: Storage, kind: K, after: string): AsyncGenerator<readonly EntityMap[K][]> {
	let limit = 32;
	for (let last = after; ; ) {
		const page = await storage.find(kind, { where: { id: { gt: last } } as Where<EntityMap[K]>, limit });
		const final = page.at(-1);
		if (final === undefined) return;
		yield page;
		last = final.id;
		const average = stringifyJson(page).length / page.length;
		limit = Math.max(1, Math.min(maxRecords, limit * 4, Math.floor(pageSize / average)));
	}
}
