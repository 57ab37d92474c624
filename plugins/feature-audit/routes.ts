import { SvcError } from "../../core/contract/index.ts";
import {
	answerJson,
	answerPage,
	answerTooMany,
	createRouteDeclarations,
	pagingQuery,
	parseFilterValues,
	parsePaging,
	parseTimeRange,
	type QueryValues,
	replyJson,
	replyPageOrAll,
	replyRecords,
} from "../../core/feature.ts";
import type { AuditApi } from "./api.ts";
import type { AuditFilter } from "./audit-exports.ts";
import type { AuditCheckpointEntity, AuditEntryEntity } from "./entities.ts";
import { auditCheckpointSchema, auditEntrySchema, auditReportSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<AuditApi>();

const auditVerbs = ["create", "update", "delete", "sign_in", "sign_out", "request"];
const auditOutcomes = ["done", "begun", "refused"];

/** Default page size. Exports read pages of this size. */
const defaultLimit = 1_000;

const filterQuery = {
	user: "string",
	kind: "string",
	ref: "string",
	verb: "list",
	outcome: "list",
	timestamp_gt: "string",
	timestamp_lt: "string",
	after: "integer",
} as const;

/** Routes of the audit record. They require the permission `audit_view`, which administrators have. */
export const auditRoutes = [
	defineRoute({
		method: "GET",
		path: "/audit/entries",
		summary: "List the entries of the audit record, newest first",
		description: "At most 1000 entries. With `after`, the entries after that number, oldest first, so that all can be read in order.",
		answers: { 200: answerPage(auditEntrySchema), 429: answerTooMany },
		permission: "audit_view",
		query: { ...pagingQuery, ...filterQuery },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const direction = context.query.after === undefined ? "desc" : "asc";
			const filter = toFilter(context.query);
			return replyPageOrAll(context, paging, async (part) => {
				const page = await context.engine.audit.entries({ ...part, direction, filter });
				return { ...page, items: page.items.map(toEntry) };
			});
		},
	}),
	defineRoute({
		method: "GET",
		path: "/audit/checkpoints",
		summary: "List the checkpoints of the audit record, oldest first",
		answers: { 200: answerPage(auditCheckpointSchema), 429: answerTooMany },
		permission: "audit_view",
		query: pagingQuery,
		async handler(context) {
			const checkpoints = await context.engine.audit.checkpoints();
			return replyRecords(context, parsePaging(context), checkpoints, (part) => part.map(toCheckpoint));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/audit/checkpoint",
		summary: "Sign a checkpoint of the audit record",
		description: "Store the response where administrators of the database cannot change it.",
		answers: { 200: answerJson(auditCheckpointSchema) },
		permission: "audit_view",
		handler: async ({ engine }) => replyJson(toCheckpoint(await engine.audit.checkpoint())),
	}),
	defineRoute({
		method: "GET",
		path: "/audit/report",
		summary: "Verify the audit record",
		description: "Reads all entries and compares them with the checkpoints in the storage. Reports the first 100 problems.",
		answers: { 200: answerJson(auditReportSchema) },
		permission: "audit_view",
		handler: async ({ engine }) => replyJson(await engine.audit.report()),
	}),
];

function toFilter({ kind, after, timestamp_gt, timestamp_lt, user, ref, ...lists }: QueryValues<typeof filterQuery>): AuditFilter {
	if (after !== undefined && after < 0) throw new SvcError("SVC_INVALID", `after: must be the number of an entry, or 0, got ${after}`);
	const timestamp = parseTimeRange("timestamp", { gt: timestamp_gt, lt: timestamp_lt });
	const verb = parseFilterValues("verb", lists.verb, auditVerbs);
	const outcome = parseFilterValues("outcome", lists.outcome, auditOutcomes);
	const texts = { user, record_kind: kind, ref, verb, outcome, after, timestamp };
	return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
}

function toEntry({ id: _id, ...entry }: AuditEntryEntity) {
	return entry;
}

function toCheckpoint({ id: _id, ...checkpoint }: AuditCheckpointEntity) {
	return checkpoint;
}
