import { isSvcError, type JsonObject, SvcError, type WebhookDeliveryEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { EventDraft } from "../../kernel/events/event-dispatcher-api.ts";
import type { Hook } from "./hook-index.ts";
import { defaultWindow } from "./hook-parameters-exports.ts";
import type { Delivery } from "./webhooks-exports.ts";

/** Verdicts of a hook on a delivery. `overruled`: an administrator has replayed a delivery that the hook had refused. */
export const verdicts = ["accepted", "duplicate", "refused", "replayed", "overruled"] as const;
export type Verdict = (typeof verdicts)[number];

/** A delivery to one hook. */
export interface Arrival {
	readonly hook: Hook;
	readonly delivery: Delivery;
	/** Headers to keep: those of the payload. */
	readonly headers: JsonObject;
	/** The sender's id for the delivery. Undefined if the hook does not detect repetitions, or the delivery has no id. */
	readonly deliveryId: string | undefined;
}

/** Stores deliveries, and finds repetitions by the delivery id. */
export class DeliveryLog {
	readonly #parts: Uses<"storage" | "clock">;
	/** Writes in progress, by delivery key. A concurrent delivery with the same key waits, because its own write would only be refused. */
	readonly #arriving = new Map<string, Promise<WebhookDeliveryEntity | undefined>>();

	constructor(parts: Uses<"storage" | "clock">) {
		this.#parts = parts;
	}

	/** Stores a delivery with its verdict. */
	async record(
		arrival: Arrival,
		{ verdict, reason, instanceId }: { readonly verdict: Verdict; readonly reason?: string; readonly instanceId?: string },
	): Promise<WebhookDeliveryEntity> {
		const entity = { ...this.#toEntity(arrival, verdict), reason: reason ?? null, trigger_instance_id: instanceId ?? null };
		await this.#parts.storage.insert("webhook_delivery", [entity]);
		return entity;
	}

	/**
	 * Stores a delivery and its trigger instance in one write and returns undefined.
	 * If a delivery with the same id arrived within the hook's window, stores nothing and returns that earlier delivery.
	 * Only one of several concurrent deliveries with the same id is stored.
	 */
	async accept(arrival: Arrival, draft: EventDraft): Promise<WebhookDeliveryEntity | undefined> {
		const { hook, deliveryId } = arrival;
		const key = deliveryId === undefined ? undefined : `${hook.trigger.id}:${deliveryId}`;
		if (key === undefined) return this.#store(arrival, draft, key);
		const earlier = this.#arriving.get(key);
		if (earlier !== undefined) {
			await earlier.catch(() => undefined);
			const first = await this.#findFirst(key, hook);
			if (first !== undefined) return first;
		}
		const storing = this.#store(arrival, draft, key);
		this.#arriving.set(key, storing);
		const forget = () => {
			if (this.#arriving.get(key) === storing) this.#arriving.delete(key);
		};
		storing.then(forget, forget);
		return storing;
	}

	async #store(arrival: Arrival, draft: EventDraft, key: string | undefined): Promise<WebhookDeliveryEntity | undefined> {
		const entity = { ...this.#toEntity(arrival, "accepted"), trigger_instance_id: draft.instance.id };
		// Other writers can release and claim a key between the conflict and the lookup, so the write is attempted up to 10 times.
		for (let attempt = 0; attempt < 10; attempt += 1) {
			try {
				await draft.store([{ insert: "webhook_delivery", entities: [{ ...entity, delivery_key: key ?? entity.id }] }]);
				return undefined;
			} catch (error) {
				if (key === undefined || !isSvcError(error, "SVC_CONFLICT")) throw error;
				const first = await this.#findFirst(key, arrival.hook);
				if (first !== undefined) return first;
			}
		}
		throw new SvcError("SVC_UNAVAILABLE", "concurrent deliveries have the same id; send the delivery again");
	}

	/** Returns the earlier delivery that has the key, if it is still inside the hook's window. If it is not, releases the key. */
	async #findFirst(key: string, { parameters }: Hook): Promise<WebhookDeliveryEntity | undefined> {
		const window = parameters.deduplicate?.window ?? defaultWindow;
		const [first] = await this.#parts.storage.find("webhook_delivery", { where: { delivery_key: key }, limit: 1 });
		if (first === undefined) return undefined;
		if (first.received_at > toTimestamp(this.#parts.clock.now() - window * 1_000_000)) return first;
		await this.#parts.storage.update("webhook_delivery", first.id, { delivery_key: first.id }, { delivery_key: key });
		return undefined;
	}

	#toEntity({ hook, delivery, headers, deliveryId }: Arrival, verdict: Verdict): WebhookDeliveryEntity {
		const id = createId(this.#parts.clock);
		return {
			id,
			url: hook.url,
			trigger: hook.trigger.ref,
			delivery_key: id,
			delivery_id: deliveryId ?? null,
			received_at: toTimestamp(this.#parts.clock.now()),
			verdict,
			user: delivery.principal.username,
			trigger_instance_id: null,
			reason: null,
			trace_tag: delivery.traceTag ?? null,
			headers,
			query: delivery.query,
			body: delivery.body,
		};
	}
}
