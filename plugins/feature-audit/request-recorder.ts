import { AsyncLocalStorage } from "node:async_hooks";
import { type EntityKind, isSvcError, type Options, type Storage, toErrorMessage, type WriteOperation } from "../../core/contract/index.ts";
import {
	type AuditedRequest,
	type AuditHook,
	type InterceptedRun,
	kindOfOperation,
	type Reply,
	type TrustedProxies,
	toTimestamp,
	type Uses,
	type WriteInterceptor,
} from "../../core/feature.ts";
import type { AuditChain } from "./audit-chain.ts";
import { findAuditedChanges } from "./audited-changes.ts";
import { auditedKind } from "./audited-kinds.ts";
import type { AuditDraft } from "./entry-hash.ts";
import { EntryRateLimit, refusalBounds, runBounds } from "./entry-rate-limit.ts";

export interface RequestRecorderDependencies extends Uses<"storage" | "clock" | "logger" | "nodeId"> {
	readonly chain: AuditChain;
	readonly proxies: Pick<TrustedProxies, "toClientAddress">;
	/** Selects which changes to the datastore by runs are recorded. */
	readonly runs: Options["audit"]["datastore_of_runs"];
}

/** Maximum characters of a string in an entry. */
const maxTextLength = 300;

/** Records the changes of requests, and refused requests. */
export class RequestRecorder implements AuditHook, WriteInterceptor {
	readonly #parts: RequestRecorderDependencies;
	readonly #scopes = new ChangeScopes();
	readonly #refusals: EntryRateLimit;
	readonly #storedByRuns: EntryRateLimit;

	constructor(parts: RequestRecorderDependencies) {
		this.#parts = parts;
		const now = () => parts.clock.steady() / 1_000;
		this.#refusals = new EntryRateLimit(now, refusalBounds);
		this.#storedByRuns = new EntryRateLimit(now, runBounds);
	}

	async record(request: AuditedRequest, answer: () => Promise<Reply> | Reply): Promise<Reply> {
		const key = keyOf(request);
		if (unrecorded.has(key)) return answer();
		if (request.principal.run !== undefined && storedByRuns.has(key)) return this.#recordRun(request, answer);
		const scope = this.#toScope(request);
		if (announced.has(key)) {
			const ref = toText(Object.values(request.path).join("/"));
			await this.#parts.chain.append([this.#toDraft(scope, { verb: "request", outcome: "begun", ref: ref === "" ? null : ref })]);
			return answer();
		}
		return this.#recordChanges(scope, answer);
	}

	/**
	 * Records a datastore change by a run. Runs may store the same values all the time, so with `some` repeated changes are skipped. The next
	 * entry contains the number of skipped changes.
	 */
	async #recordRun(request: AuditedRequest, answer: () => Promise<Reply> | Reply): Promise<Reply> {
		const { runs } = this.#parts;
		const alike = toText(`${request.principal.username} ${keyOf(request)} ${Object.values(request.path).join("/")}`);
		if (runs === "none" || (runs === "some" && !this.#storedByRuns.admits(alike))) return answer();
		const skipped = this.#storedByRuns.takeSkipped();
		const detail = skipped === 0 ? null : `${skipped} earlier changes by runs were not recorded`;
		try {
			return await this.#recordChanges({ ...this.#toScope(request), detail }, answer);
		} catch (error) {
			this.#storedByRuns.giveBack(alike, skipped);
			throw error;
		}
	}

	async #recordChanges(scope: ChangeScope, answer: () => Promise<Reply> | Reply): Promise<Reply> {
		const reply = await this.#scopes.run(scope, answer);
		// A request without audited changes is recorded as a request. Anonymous requests are excluded, because they could fill the record.
		if (scope.entries === 0 && scope.user !== "") await this.#note(this.#toDraft(scope, { verb: "request", outcome: "done" }));
		return reply;
	}

	async recordRefusal(request: AuditedRequest, error: unknown): Promise<void> {
		const { route, principal, headers } = request;
		if (!isSvcError(error)) return;
		const name = principal.username || toText(claimedUser(headers));
		if (!this.#refusals.admits(`${name} ${keyOf(request)}`)) return;
		const skipped = this.#refusals.takeSkipped();
		const more = skipped === 0 ? "" : ` (${skipped} earlier refusals were not recorded)`;
		const user = principal.username || (await this.#toKnownUser(name));
		const unknown = name === user ? "" : " (an unknown user name, which is in the log)";
		const detail = toText(error.message) + unknown + more;
		const verb = route.permission === "public" ? "sign_in" : "request";
		await this.#note({ ...this.#toDraft(this.#toScope(request), { verb, outcome: "refused" }), user, detail });
	}

	intercepts(kind: EntityKind): boolean {
		const scope = this.#scopes.current();
		return scope !== undefined && isRecorded(scope, kind);
	}

	duringRun<T>({ user, execution_id, action_ref, kinds }: InterceptedRun, work: () => Promise<T>): Promise<T> {
		const asked = { user, credential: `execution:${execution_id}`, request: `action ${action_ref}` };
		return this.#scopes.run({ ...asked, address: null, request_id: null, kinds, entries: 0, hasEnded: false }, work);
	}

	async write(operations: readonly WriteOperation[], store: Storage["write"]): Promise<void> {
		const scope = this.#scopes.current();
		const seen = scope === undefined ? [] : operations.filter((operation) => isRecorded(scope, kindOfOperation(operation)));
		const changes = await findAuditedChanges(this.#parts.storage, seen);
		if (scope === undefined || changes.length === 0) return store(operations);
		const drafts = changes.map(({ detail, owner, ...change }) => ({
			...this.#toDraft(scope, { ...change, ...(detail !== null && { detail: toText(detail) }), outcome: "done" }),
			// A sign-in has no authenticated user yet, so take the user of the record that it changes.
			user: scope.user || owner,
		}));
		await this.#parts.chain.append(drafts, operations, store);
		scope.entries += drafts.length;
	}

	/**
	 * Returns the name if a user with it exists, otherwise an empty string. A user may type a password into the wrong field, and the record
	 * is kept for years.
	 */
	async #toKnownUser(name: string): Promise<string> {
		if (name === "") return "";
		const found = await this.#parts.storage.find("user", { where: { name }, limit: 1 }).catch(() => []);
		return found.length > 0 ? name : "";
	}

	/**
	 * Appends an entry about something that has already happened. Errors are logged only, because the response does not depend on the
	 * entry.
	 */
	async #note(draft: AuditDraft): Promise<void> {
		try {
			await this.#parts.chain.append([draft]);
		} catch (error) {
			const { user, request, verb, outcome } = draft;
			this.#parts.logger.error("an entry of the audit record could not be written", {
				user,
				request,
				verb,
				outcome,
				problem: toErrorMessage(error),
			});
		}
	}

	#toScope(request: AuditedRequest): ChangeScope {
		const { principal, headers, requestId, route } = request;
		const claim = { peerAddress: request.peerAddress(), proxySecret: headers.get("svc-proxy-secret") ?? undefined };
		return {
			user: principal.username,
			credential: principal.credential ?? "none",
			address: this.#parts.proxies.toClientAddress(claim, headers.get("x-forwarded-for")) ?? null,
			request_id: requestId,
			request: `${route.method} ${route.path}`,
			entries: 0,
			hasEnded: false,
		};
	}

	#toDraft(
		{ entries, hasEnded, kinds, detail = null, ...scope }: ChangeScope,
		of: Pick<AuditDraft, "verb" | "outcome"> & Partial<AuditDraft>,
	): AuditDraft {
		const { clock, nodeId: node } = this.#parts;
		const nothing = { record_kind: null, record_id: null, ref: null, fields: [], detail };
		return { timestamp: toTimestamp(clock.now()), ...scope, node, ...nothing, ...of };
	}
}

function isRecorded({ kinds }: ChangeScope, kind: EntityKind): boolean {
	return auditedKind(kind) !== undefined && kinds?.includes(kind) !== false;
}

function keyOf({ route }: AuditedRequest): string {
	return `${route.component} ${route.method} ${route.path}`;
}

/** Shortens and normalizes a string to the form that every storage returns. Otherwise verification of the hash would report a change. */
function toText(text: string): string {
	return Buffer.from(text.slice(0, maxTextLength)).toString("utf8").replaceAll("\0", "");
}

/** Request or run in progress, with the values for its entries and the number of entries so far. */
interface ChangeScope {
	readonly user: string;
	readonly credential: string;
	readonly address: string | null;
	readonly request_id: string | null;
	/** Method and path of the route, or the action. */
	readonly request: string;
	/** Kinds of records whose changes are recorded. Undefined: all audited kinds. */
	readonly kinds?: readonly EntityKind[];
	/** Detail of entries that have none of their own. */
	readonly detail?: string | null;
	entries: number;
	/** True after the response was created. Later writes do not belong to the request. */
	hasEnded: boolean;
}

/**
 * Finds the request or run that a write belongs to, at any call depth. Async context tracking slows down every promise of the process, so
 * it is enabled only while a recorded request or run is in progress.
 */
class ChangeScopes {
	readonly #storage = new AsyncLocalStorage<ChangeScope>();
	#open = 0;

	/** Returns the scope of the request or run that the current write belongs to; undefined if it belongs to none. */
	current(): ChangeScope | undefined {
		if (this.#open === 0) return undefined;
		const scope = this.#storage.getStore();
		return scope?.hasEnded === false ? scope : undefined;
	}

	async run<T>(scope: ChangeScope, work: () => Promise<T> | T): Promise<T> {
		this.#open += 1;
		try {
			return await this.#storage.run(scope, async () => work());
		} finally {
			scope.hasEnded = true;
			this.#open -= 1;
			if (this.#open === 0) this.#storage.disable();
		}
	}
}

/** Maximum characters of a claimed user name. Longer names are cut, because they would only serve to fill the record. */
const maxNameLength = 128;

/** Returns the user name that a sign-in request claims; empty if it contains none. */
function claimedUser(headers: Headers): string {
	const [, basic = ""] = /^basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(headers.get("authorization") ?? "") ?? [];
	const [name = ""] = Buffer.from(basic, "base64").toString("utf8").split(":", 1);
	return name.slice(0, maxNameLength);
}

/**
 * Requests with a method other than GET that are not recorded, with the reason. Every other such request is recorded, so that new routes
 * are recorded by default.
 */
export const unrecorded: ReadonlyMap<string, string> = new Map([
	["auth POST /tokens/validate", "changes nothing"],
	["auth POST /sso/request", "starts a sign-in, which is recorded when it ends"],
	["auth POST /sso/device", "starts a sign-in, which is recorded when it ends"],
	["api POST /executions", "starts an execution, which records who requested it"],
	["api POST /executions/:id/re_run", "starts an execution, which records who requested it"],
	["api POST /workflows/inspect", "changes nothing"],
	["api POST /actionalias/match", "changes nothing"],
	["api POST /aliasexecution", "starts an execution, which records who requested it"],
	["api POST /aliasexecution/match_and_execute", "starts an execution, which records who requested it"],
	["api POST /packs/index/search", "changes nothing"],
	["api POST /rules/test", "changes nothing"],
	["api POST /webhooks/**:url", "dispatches an event, which records its sender"],
	["api POST /workers/poll", "requests runs for a worker, which have their own records"],
	["api POST /workers/jobs/:id/output", "what a run prints"],
	["api POST /workers/jobs/:id/end", "reports the end of a run, which is in its record"],
	["api POST /workers/jobs/:id/files", "changes nothing"],
	["api POST /workers/jobs/:id/bytes", "changes nothing"],
]);

/** Requests by which runs store values. `audit.datastore_of_runs` selects which of them are recorded. */
const storedByRuns: ReadonlySet<string> = new Set(["api PUT /keys/:name", "api DELETE /keys/:name"]);

/** Requests that need many writes, or none in the storage. Their entry is stored before the work starts. */
export const announced: ReadonlySet<string> = new Set([
	"api PUT /executions/:id",
	"api DELETE /executions/:id",
	"api PUT /inquiries/:id",
	"api POST /triggerinstances/:id/re_emit",
	"api POST /keys/rotate",
	"api PUT /configs/:pack",
	"api POST /packs/install",
	"api POST /packs/uninstall",
	"api POST /packs/upgrade",
	"api POST /packs/rollback",
	"api POST /webhook_deliveries/:id/replay",
	"api POST /purge/:records",
	"api POST /nodes/:node/drain",
	"api POST /nodes/:node/resume",
]);
