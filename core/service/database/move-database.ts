import { type EntityKind, entityKinds, type Storage, type StoragePlugin, SvcError } from "../../contract/index.ts";
import { createSystemClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { Leasing } from "../../kernel/coordination/lease-duration.ts";
import { Duty } from "../../kernel/coordination/singleton-task.ts";
import { sourceDuty } from "../../kernel/nodes/database-move.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { findBeside } from "./beside.ts";
import { type Digest, digest } from "./compare.ts";
import { copyRecords } from "./copy-records.ts";
import { assertUnused, claimTarget, finishTarget } from "./move-target.ts";
import { type ConfigPlace, createContext, readConfig, withStorage } from "./open-storage.ts";
import { withoutSecrets } from "./without-secrets.ts";

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
	const held = { storage: parts.from, clock: createSystemClock(), nodeId, lease };
	const duty = new Duty(
		{ ...held, logger, leasing: new Leasing(held) },
		{
			name: sourceDuty,
			interval: 0,
			async work(signal) {
				report = await copyAndCompare(parts, signal);
			},
		},
	);
	try {
		// An attempt that was killed holds the duty of a shared database for a while.
		for (const end = performance.now() + lease * 2_000; report === undefined && !(await duty.perform()); ) {
			if (performance.now() > end) throw new SvcError("SVC_CONFLICT", "the database is being moved already by another process");
			await settledWithin(new Promise(() => {}), 200);
		}
	} finally {
		await duty.stop();
	}
	return report as MoveReport;
}

async function copyAndCompare({ from, to, config, onCopied }: Move, signal: AbortSignal): Promise<MoveReport> {
	const [source] = await from.find("duty", { where: { name: sourceDuty }, limit: 1 });
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
