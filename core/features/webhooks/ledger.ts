import { type Clock, isSvcError, type JsonObject, type Storage, SvcError, type WebhookDeliveryEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { DispatchDraft } from "../../kernel/events/dispatcher.ts";
import type { Hook } from "./hook-index.ts";
import { defaultWindow } from "./hook-parameters-api.ts";
import type { Delivery } from "./webhooks-api.ts";

/** What a hook says of a delivery; `overruled`: one that was refused was dispatched all the same, as an administrator said so. */
export type Verdict = "accepted" | "duplicate" | "refused" | "replayed" | "overruled";

/** A delivery to one hook. */
export interface Arrival {
	readonly hook: Hook;
	readonly delivery: Delivery;
	/** Headers to keep: those of the payload. */
	readonly headers: JsonObject;
	/** The sender's id for it, where the hook looks for one. */
	readonly deliveryId: string | undefined;
}

export interface Ledger {
	/** Keep a delivery with its verdict. */
	record(
		arrival: Arrival,
		entry: { readonly verdict: Verdict; readonly reason?: string; readonly instanceId?: string },
	): Promise<WebhookDeliveryEntity>;
	/**
	 * Store a delivery and its trigger instance together, unless the same delivery id came within the hook's window: then the
	 * delivery that came first. However many arrive at once, one is stored.
	 */
	accept(arrival: Arrival, draft: DispatchDraft): Promise<WebhookDeliveryEntity | undefined>;
}

export function createLedger({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }): Ledger {
	function toEntity({ hook, delivery, headers, deliveryId }: Arrival, verdict: Verdict): WebhookDeliveryEntity {
		const id = createId(clock);
		return {
			id,
			url: hook.url,
			trigger: hook.trigger.ref,
			delivery_key: id,
			delivery_id: deliveryId ?? null,
			received_at: toTimestamp(clock.now()),
			verdict,
			user: delivery.principal.username,
			trigger_instance_id: null,
			reason: null,
			trace_tag: delivery.traceTag ?? null,
			headers,
			body: delivery.body,
		};
	}

	/** The earlier delivery that has the key, if it still counts; one that does not gives the key free. */
	async function findFirst(key: string, window: number): Promise<WebhookDeliveryEntity | undefined> {
		const [first] = await storage.find("webhook_delivery", { where: { delivery_key: key }, limit: 1 });
		if (first === undefined) return undefined;
		if (first.received_at > toTimestamp(clock.now() - window * 1_000_000)) return first;
		await storage.update("webhook_delivery", first.id, { delivery_key: first.id }, { delivery_key: key });
		return undefined;
	}

	return {
		async record(arrival, { verdict, reason, instanceId }) {
			const entity = { ...toEntity(arrival, verdict), reason: reason ?? null, trigger_instance_id: instanceId ?? null };
			await storage.insert("webhook_delivery", [entity]);
			return entity;
		},

		async accept(arrival, draft) {
			const { hook, deliveryId } = arrival;
			const key = deliveryId === undefined ? undefined : `${hook.trigger.id}:${deliveryId}`;
			const entity = { ...toEntity(arrival, "accepted"), trigger_instance_id: draft.instance.id };
			// A key can be given free and taken again by others at the same moment; that comes to an end quickly.
			for (let attempt = 0; attempt < 10; attempt += 1) {
				try {
					const kept = { ...entity, delivery_key: key ?? entity.id };
					await storage.write([{ insert: "webhook_delivery", entities: [kept] }, ...draft.operations]);
					return undefined;
				} catch (error) {
					if (key === undefined || !isSvcError(error, "SVC_CONFLICT")) throw error;
					const first = await findFirst(key, hook.parameters.deduplicate?.window ?? defaultWindow);
					if (first !== undefined) return first;
				}
			}
			throw new SvcError("SVC_UNAVAILABLE", "the delivery id is taken again and again; send the delivery once more");
		},
	};
}
