import { isAbsolute, join } from "node:path";
import type { Where } from "../../core/contract/index.ts";
import {
	createProxies,
	defineFeature,
	type HttpFeature,
	type Kernel,
	type ResourceTypeDefinition,
	readPage,
	SingletonTask,
	toInCondition,
	toTimestamp,
	type Uses,
} from "../../core/feature.ts";
import type { AuditApi } from "./api.ts";
import { AuditChain } from "./audit-chain.ts";
import type { AuditFilter } from "./audit-exports.ts";
import { Checkpoints } from "./checkpoints.ts";
import { type AuditCheckpointEntity, type AuditEntryEntity, auditCheckpointKind, auditEntryKind } from "./entities.ts";
import { auditOptions } from "./options.ts";
import { RequestRecorder } from "./request-recorder.ts";
import { auditRoutes } from "./routes.ts";
import { StoredChainVerification } from "./stored-chain-verification.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		audit_entry: AuditEntryEntity;
		audit_checkpoint: AuditCheckpointEntity;
	}
	interface FeatureOptionSections {
		audit: typeof auditOptions;
	}
	interface PermissionVerbs {
		audit: "view";
	}
}

const kinds = { audit_entry: auditEntryKind, audit_checkpoint: auditCheckpointKind };

const permissions: { readonly audit: ResourceTypeDefinition } = {
	audit: { verbs: ["view"], global: ["view"], isHiddenFromObservers: true },
};

export type { AuditApi } from "./api.ts";
export type { Audit, AuditFilter, AuditQuery } from "./audit-exports.ts";
export type { AuditCheckpointEntity, AuditEntryEntity } from "./entities.ts";

/** The audit record: who has changed what, in a chain of entries that cannot be altered unnoticed. */
export const audit = () =>
	defineFeature({ name: "audit", kinds, permissions, options: { audit: auditOptions }, create: createAuditFeature });

function createAuditFeature(kernel: Kernel): HttpFeature<AuditApi> {
	const { options, dependencies, storage } = kernel;
	const logger = kernel.logger.withTag("audit");
	const named = options.audit.checkpoint_key_path || "audit-key.pem";
	const keyPath = isAbsolute(named) ? named : join(dependencies.dataDirectory, named);
	const chain: AuditChain = new AuditChain({ ...kernel, onAppended: (_head, added) => checkpoints.note(added) });
	const checkpoints: Checkpoints = new Checkpoints({ ...kernel, logger, chain, options: options.audit, keyPath });
	const proxies = createProxies(options.auth);
	const record = new RequestRecorder({ ...kernel, logger, chain, proxies, runs: options.audit.datastore_of_runs });
	const stored = new StoredChainVerification(storage);
	const cutting = new SingletonTask(
		{ ...kernel, logger },
		{
			name: "audit_retention",
			intervalSeconds: options.garbagecollector.collection_interval,
			work: (signal) => truncateAuditLog({ ...kernel, logger, checkpoints, days: options.audit.keep_days }, signal),
		},
	);
	return {
		api: {
			audit: {
				entries: ({ filter = {}, direction = "desc", ...paging }) =>
					readPage(storage, "audit_entry", { where: toWhere(filter), orderBy: [["number", direction]], ...paging }),
				checkpoints: () => storage.find("audit_checkpoint", { orderBy: [["number", "asc"]] }),
				checkpoint: () => checkpoints.sign(),
				report: () => stored.look(),
			},
		},
		auditHook: record,
		writeInterceptor: record,
		routes: auditRoutes,
		start() {
			checkpoints.start();
			if (options.audit.keep_days > 0) cutting.start();
		},
		async stop() {
			await cutting.stop();
			await checkpoints.stop();
		},
	};
}

function toWhere({ after, verb, outcome, ...filter }: AuditFilter): Where<AuditEntryEntity> {
	return {
		...filter,
		...(verb !== undefined && { verb: toInCondition(verb) }),
		...(outcome !== undefined && { outcome: toInCondition(outcome) }),
		...(after !== undefined && { number: { gt: after } }),
	};
}

/** Maximum number of entries that one write removes. */
const atOnce = 1_000;

interface AuditTruncationDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly checkpoints: Checkpoints;
	/** Days for which entries are kept; 0 keeps all entries. */
	readonly days: number;
}

/**
 * Removes entries older than the retention time from the beginning of the record. The last removed entry is signed in the same write.
 * Verification can then prove that the remaining entries follow it.
 */
export async function truncateAuditLog(
	{ storage, clock, logger, checkpoints, days }: AuditTruncationDependencies,
	signal: AbortSignal,
): Promise<void> {
	if (days === 0) return;
	const before = toTimestamp(clock.now() - days * 86_400_000_000);
	let cut = 0;
	while (!signal.aborted) {
		// At least one entry remains, so that the chain can be continued.
		const entries = await storage.find("audit_entry", {
			orderBy: [["number", "asc"]],
			limit: atOnce + 1,
			fields: ["number", "hash", "timestamp"],
		});
		const kept = entries.findIndex(({ timestamp }) => timestamp >= before);
		const last = entries[(kept === -1 ? entries.length - 1 : kept) - 1];
		if (last === undefined) break;
		const { number } = last;
		await storage.write([
			{ insert: "audit_checkpoint", entities: [checkpoints.of({ number, hash: last.hash })] },
			{ remove: "audit_entry", where: { number: { lte: number } } },
			{ remove: "audit_checkpoint", where: { number: { lt: number } } },
		]);
		cut = number;
		if (kept !== -1) break;
	}
	if (cut > 0) logger.info("old entries of the audit record were deleted", { last_removed: cut });
}
