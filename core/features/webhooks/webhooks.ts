import { randomUUID } from "node:crypto";
import {
	type Instrument,
	isJsonObject,
	isSvcError,
	type JsonObject,
	type JsonValue,
	SvcError,
	type WebhookDeliveryEntity,
	type Where,
} from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { readPage, toInCondition } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Dispatcher } from "../../kernel/events/event-dispatcher-api.ts";
import type { ResolvedTrigger } from "../../kernel/events/trigger-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import { toHookUrl } from "../triggers/trigger-type-refs-exports.ts";
import { type Challenge, findChallenge, type Handshake } from "./challenge.ts";
import { type Arrival, DeliveryLog } from "./delivery-log.ts";
import type { Hook, HookIndex } from "./hook-index.ts";
import { type DeduplicationSettings, genericHookUrl, type HookParameters, type SignatureScheme } from "./hook-parameters-exports.ts";
import { toPayloadHeaders } from "./payload-headers.ts";
import { findSecretHeader, findSignatureProblem } from "./signature.ts";
import type { Delivery, DeliveryQuery, Receipt, Webhooks } from "./webhooks-exports.ts";

export interface WebhookDependencies extends Uses<"storage" | "clock" | "logger">, Pick<Kernel, "dispatcher" | "triggerTypes" | "hub"> {
	readonly hooks: HookIndex;
	readonly access: Pick<Access, "assert">;
	/** Returns the decrypted value of a system item of the datastore; undefined if it does not exist. */
	readonly readSecret: (name: string) => Promise<string | undefined>;
}

/**
 * Verdicts of deliveries that only an administrator may replay. A copy of a refused delivery (`overruled`) is as untrusted as the original.
 */
const refusing: ReadonlySet<string> = new Set(["refused", "overruled"]);
const noBytes = new Uint8Array();

type Outcome = { readonly instance: Receipt["instances"][number] } | { readonly refused: string };

/** Receives requests to hooks and dispatches their events. */
export class ReceivedWebhooks implements Webhooks {
	readonly #parts: WebhookDependencies;
	readonly #ledger: DeliveryLog;
	readonly #deliveries: Instrument;
	readonly #repeated: Instrument;

	constructor(parts: WebhookDependencies) {
		this.#parts = parts;
		this.#ledger = new DeliveryLog(parts);
		this.#deliveries = parts.hub.counter({
			name: "svc_webhook_deliveries_total",
			help: "Webhook deliveries, by outcome: accepted, refused, failed.",
			labels: ["outcome"],
		});
		this.#repeated = parts.hub.counter({
			name: "svc_webhook_repetitions_total",
			help: "Repeated webhook deliveries, which were not dispatched again.",
		});
	}

	list(): Promise<readonly Hook[]> {
		return this.#parts.hooks.list();
	}

	async challenge(url: string, handshake: Handshake): Promise<Challenge | undefined> {
		return findChallenge(await this.#parts.hooks.find(url), handshake);
	}

	async receive(url: string, delivery: Delivery): Promise<Receipt> {
		try {
			const receipt = await this.#receive(url, delivery);
			this.#deliveries.record(1, "accepted");
			return receipt;
		} catch (error) {
			this.#deliveries.record(1, isSvcError(error) && error.code !== "SVC_UNAVAILABLE" ? "refused" : "failed");
			throw error;
		}
	}

	async #receive(url: string, delivery: Delivery): Promise<Receipt> {
		if (toHookUrl(url) === genericHookUrl) return this.#receiveGeneric(delivery);
		const found = await this.find(url);
		if (typeof delivery.body !== "object" || delivery.body === null)
			throw new SvcError("SVC_INVALID", "body: must be an object or an array");
		const { query, headers, bytes, body } = delivery;
		const challenge = findChallenge(found, { query, headers, body: bytes.length === 0 ? undefined : body });
		return challenge === undefined ? this.#receiveHooks(found, delivery) : this.#receiveChallenge(challenge, delivery);
	}

	async deliveries({ url, verdict, triggerInstance, ...paging }: DeliveryQuery): ReturnType<Webhooks["deliveries"]> {
		const where: Where<WebhookDeliveryEntity> = {
			...(url !== undefined && { url: toHookUrl(url) }),
			...(verdict !== undefined && { verdict: toInCondition(verdict) }),
			...(triggerInstance !== undefined && { trigger_instance_id: triggerInstance }),
		};
		const orderBy = [
			["received_at", "desc"],
			["id", "desc"],
		] as const;
		return readPage(this.#parts.storage, "webhook_delivery", { where, orderBy, ...paging });
	}

	async replay(
		id: string,
		principal: Principal,
		{ overrule = false }: { readonly overrule?: boolean } = {},
	): Promise<WebhookDeliveryEntity> {
		const original = await this.delivery(id);
		const hook = (await this.find(original.url)).find(({ trigger }) => trigger.ref === original.trigger);
		if (hook === undefined) throw new SvcError("SVC_NOT_FOUND", `the rule of webhook delivery "${id}" no longer exists`);
		const isRefused = refusing.has(original.verdict);
		if (isRefused) {
			assertOverruled(original, principal, overrule);
			this.#parts.logger.warn("refusal of a webhook delivery overruled", toAudit(original, principal));
		}
		const query = original.query ?? {};
		const lower = original.headers as Readonly<Record<string, string>>;
		const { instance } = await this.#parts.dispatcher.dispatch({
			trigger: hook.trigger.ref,
			payload: { ...toPayloadHeaders(lower), query, body: original.body },
			trace: { trace_tag: original.trace_tag ?? toTraceTag(original.url) },
		});
		const traceTag = original.trace_tag ?? undefined;
		const delivery = { headers: lower, query, bytes: noBytes, body: original.body, traceTag, principal };
		const arrival = { hook, delivery, headers: original.headers, deliveryId: original.delivery_id ?? undefined };
		const verdict = isRefused ? "overruled" : "replayed";
		return this.#ledger.record(arrival, { verdict, reason: `delivery ${id} once more`, instanceId: instance.id });
	}

	async find(url: string): Promise<readonly Hook[]> {
		const found = await this.#parts.hooks.find(url);
		if (found.length === 0) throw new SvcError("SVC_NOT_FOUND", `webhook "${toHookUrl(url)}" is not registered`);
		return found;
	}

	async delivery(id: string): Promise<WebhookDeliveryEntity> {
		const delivery = await this.#parts.storage.get("webhook_delivery", id);
		if (delivery === undefined) throw new SvcError("SVC_NOT_FOUND", `webhook delivery "${id}" cannot be found`);
		return delivery;
	}

	async #receiveGeneric({ body, headers, traceTag, principal }: Delivery): Promise<Receipt> {
		const { trigger, payload } = readGenericBody(body);
		const trace = { trace_tag: traceTag ?? toTraceTag(genericHookUrl), traceparent: headers["traceparent"] };
		const check = (resolved: ResolvedTrigger) => this.#parts.triggerTypes.assertInjectable(resolved, principal);
		const { instance } = await this.#parts.dispatcher.dispatch({ trigger, payload, trace, check });
		return { instances: [instance] };
	}

	async #receiveChallenge(challenge: Challenge, delivery: Delivery): Promise<Receipt> {
		const { url } = challenge.hook;
		// A sender signs a challenge in a body like a delivery. A challenge without a body has nothing to sign.
		const problem = delivery.bytes.length === 0 ? undefined : await this.#findProblem(challenge.hook, delivery);
		if (problem !== undefined) throw new SvcError("SVC_FORBIDDEN", `webhook "${url}": ${problem}`);
		this.#parts.logger.info("webhook challenge answered", { url, user: delivery.principal.username });
		return { instances: [], challenge };
	}

	/** Dispatches to one hook after the other, so that all instances of one delivery share one trace. */
	async #receiveHooks(found: readonly Hook[], delivery: Delivery): Promise<Receipt> {
		const instances: Receipt["instances"][number][] = [];
		let refused = "";
		for (const hook of found) {
			const outcome = await this.#receiveOne(hook, delivery, instances[0]?.trace_id);
			if ("instance" in outcome) instances.push(outcome.instance);
			else refused = outcome.refused;
		}
		if (instances.length === 0) throw new SvcError("SVC_FORBIDDEN", `webhook "${found[0]?.url}": ${refused}`);
		return { instances };
	}

	async #receiveOne(hook: Hook, delivery: Delivery, traceId: string | undefined): Promise<Outcome> {
		const { parameters, trigger, url } = hook;
		const headers = toPayloadHeaders(delivery.headers, findSecretHeader(parameters.signature));
		const deliveryId = findDeliveryId(parameters, delivery.headers, delivery.body);
		const arrival = { hook, delivery, headers: headers.headers_lower, deliveryId };
		const problem = await this.#findProblem(hook, delivery);
		if (problem !== undefined) return this.#refuse(arrival, problem);
		const event = {
			trigger: trigger.ref,
			payload: { headers: headers.headers, headers_lower: headers.headers_lower, query: delivery.query, body: delivery.body },
			trace:
				traceId !== undefined
					? { id_: traceId }
					: { trace_tag: delivery.traceTag ?? toTraceTag(url), traceparent: delivery.headers["traceparent"] },
		};
		if (parameters.deduplicate === undefined && parameters.ledger !== true) {
			return { instance: (await this.#parts.dispatcher.dispatch(event)).instance };
		}
		return this.#accept(arrival, event);
	}

	async #findProblem({ parameters }: Hook, delivery: Delivery): Promise<string | undefined> {
		const { signature } = parameters;
		if (signature === undefined) return undefined;
		const values = await Promise.all(signature.secret_keys.map(this.#parts.readSecret));
		const secrets = values.filter((value) => value !== undefined && value !== "") as string[];
		return findSignatureProblem(delivery, signature, secrets, this.#parts.clock.now() / 1_000_000);
	}

	async #refuse(arrival: Arrival, reason: string): Promise<Outcome> {
		const { hook, delivery } = arrival;
		this.#parts.logger.warn("webhook delivery refused", { url: hook.url, user: delivery.principal.username, reason });
		if (hook.parameters.ledger === true) await this.#ledger.record(arrival, { verdict: "refused", reason });
		return { refused: reason };
	}

	async #accept(arrival: Arrival, event: Parameters<Dispatcher["draft"]>[0]): Promise<Outcome> {
		const draft = await this.#parts.dispatcher.draft(event);
		if (draft === undefined) throw new SvcError("SVC_NOT_FOUND", `webhook "${arrival.hook.url}" is not registered`);
		const first = await this.#ledger.accept(arrival, draft);
		if (first === undefined) return { instance: draft.instance };
		this.#repeated.record(1);
		this.#parts.logger.info("webhook delivery repeated", { url: arrival.hook.url, delivery_id: arrival.deliveryId });
		const instanceId = first.trigger_instance_id ?? "";
		if (arrival.hook.parameters.ledger === true) await this.#ledger.record(arrival, { verdict: "duplicate", instanceId });
		const instance = await this.#parts.storage.get("trigger_instance", instanceId);
		return { instance: { id: instanceId, trace_id: instance?.trace_id ?? "" } };
	}
}

/**
 * Throws `SVC_FORBIDDEN` unless an administrator overrules the refusal.
 * Otherwise any user who may post to the hook could replay a delivery that the hook has refused.
 */
function assertOverruled({ id, verdict, reason }: WebhookDeliveryEntity, { isAdmin }: Principal, overrule: boolean): void {
	if (isAdmin && overrule) return;
	const why = verdict === "refused" && reason !== null ? `: ${reason}` : "";
	const hint = isAdmin ? "set overrule to dispatch it anyway" : "only an administrator may set overrule";
	throw new SvcError("SVC_FORBIDDEN", `webhook delivery "${id}" was refused${why}; ${hint}`);
}

function toAudit({ id, url, delivery_id, reason }: WebhookDeliveryEntity, { username }: Principal) {
	return { delivery: id, url, delivery_id, reason, user: username };
}

function toTraceTag(url: string): string {
	return `webhook-${url}-${randomUUID().replaceAll("-", "")}`;
}

function readGenericBody(body: JsonValue): { readonly trigger: string; readonly payload: JsonObject } {
	if (!isJsonObject(body)) throw new SvcError("SVC_INVALID", "body: must be an object with trigger and payload");
	const { trigger, payload } = body;
	if (typeof trigger !== "string" || trigger === "") throw new SvcError("SVC_INVALID", "trigger: required, the name of a trigger");
	if (!isJsonObject(payload)) throw new SvcError("SVC_INVALID", "payload: required, an object");
	return { trigger, payload };
}

/** Header or body member in which each kind of sender repeats the same id when it retries. */
const places: { readonly [S in SignatureScheme]?: Pick<DeduplicationSettings, "header" | "body"> } = {
	standard: { header: "webhook-id" },
	github: { header: "x-github-delivery" },
	gitlab: { header: "x-gitlab-event-uuid" },
	slack: { body: "event_id" },
	stripe: { body: "id" },
};

/** Returns the sender's id of a delivery. Returns undefined if deduplication is off or the delivery has no id where the hook expects it. */
function findDeliveryId(
	{ deduplicate, signature }: HookParameters,
	headers: Readonly<Record<string, string>>,
	body: JsonValue,
): string | undefined {
	if (deduplicate === undefined) return undefined;
	const { header, body: path } =
		deduplicate.header === undefined && deduplicate.body === undefined
			? (places[signature?.scheme ?? "hmac"] ?? { header: "idempotency-key" })
			: deduplicate;
	const value = header !== undefined ? headers[header.toLowerCase()] : readMember(body, path ?? "");
	if (typeof value === "number" || typeof value === "bigint") return String(value);
	return typeof value === "string" && value !== "" ? value : undefined;
}

function readMember(body: JsonValue, path: string): JsonValue | undefined {
	let value: JsonValue | undefined = body;
	for (const name of path.split(".")) {
		if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
		value = value[name];
	}
	return value;
}
