import type { JsonObject, KeyValueEntity } from "../../contract/index.ts";
import type { Dispatch, DispatchDraft } from "../../kernel/events/event-dispatcher-api.ts";
import { itemRefs } from "./item-refs-api.ts";
import { type ShownItem, toMasked } from "./shown-item.ts";

/** Stores events together with what they tell of; see `Dispatcher`. */
export type DraftEvent = (event: Dispatch) => Promise<DispatchDraft | undefined>;

type Change = { readonly before: KeyValueEntity; readonly after: KeyValueEntity };

export function toCreateEvents(item: KeyValueEntity): readonly Dispatch[] {
	return [{ trigger: itemRefs.create, payload: { object: toPayload(item) } }];
}

/** A secret that is set again counts as changed: its cipher text is. */
export function toUpdateEvents({ before, after }: Change): readonly Dispatch[] {
	const update: Dispatch = { trigger: itemRefs.update, payload: { object: toPayload(after) } };
	if (before.value === after.value) return [update];
	return [update, { trigger: itemRefs.valueChange, payload: { old_object: toPayload(before), new_object: toPayload(after) } }];
}

export function toDeleteEvents(item: KeyValueEntity): readonly Dispatch[] {
	return [{ trigger: itemRefs.delete, payload: { object: toPayload(item) } }];
}

/** Payloads are kept and shown like any answer: secret values are masked in them. */
function toPayload(item: KeyValueEntity): JsonObject {
	const shown: ShownItem = toMasked(item);
	return Object.fromEntries(Object.entries(shown));
}
