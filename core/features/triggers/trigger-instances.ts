import { isJsonObject, type JsonObject, parseJson, SvcError, stringifyJson, type TriggerInstanceEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { type Page, readPage, toInCondition, withTimeOrder } from "../../kernel/basics/pagination.ts";
import type { ResolvedTrigger } from "../../kernel/events/trigger-catalog.ts";
import { type ChangeRequester, toActor } from "../../kernel/executions/log-actor.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Dialects } from "../../language/dialects.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { createMaskBudget } from "../../language/parameters/schema-masking.ts";
import type { WorkBudget } from "../../language/work-budget.ts";
import { maskExecutionResult } from "../../secrets/result-masking.ts";
import { triggerRefs } from "./trigger-type-refs-exports.ts";
import type { InstanceFilter, TriggerInstances } from "./triggers-exports.ts";

const newestFirst = [
	["occurrence_time", "desc"],
	["trigger", "asc"],
] as const;

export type StoredInstancesDependencies = Uses<"storage" | "sealedSecrets" | "dialects"> & Pick<Kernel, "catalog" | "dispatcher">;

/** Trigger instances kept in the storage. */
export class StoredInstances implements TriggerInstances {
	readonly #parts: StoredInstancesDependencies;

	constructor(parts: StoredInstancesDependencies) {
		this.#parts = parts;
	}

	async get(id: string): Promise<TriggerInstanceEntity> {
		const found = isId(id) ? await this.#parts.storage.get("trigger_instance", id) : undefined;
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger instance "${id}" cannot be found`);
		return found;
	}

	async list(
		filter: InstanceFilter,
		{ orderBy = newestFirst, ...paging }: Parameters<TriggerInstances["list"]>[1],
	): Promise<Page<TriggerInstanceEntity>> {
		return readPage(this.#parts.storage, "trigger_instance", {
			where: toWhere(filter, this.#parts.dialects),
			orderBy: withTimeOrder(orderBy, "occurrence_time"),
			...paging,
		});
	}

	async reEmit(id: string, signer: ChangeRequester, reason?: string): Promise<TriggerInstanceEntity> {
		const { trigger, trigger_type, payload, known_secrets: knownSecrets } = await this.get(id);
		const re_emitted_by = { ...toActor(signer, reason) };
		const copy = { ...payload, __context: { original_id: id, re_emitted_by } };
		const check = ({ type }: ResolvedTrigger) => {
			// The trigger may have been changed to another type after the event. Without this check, an event of a user's own trigger type could be
			// re-emitted to a trigger that has become a signed webhook.
			if (type.ref === trigger_type) return;
			throw new SvcError(
				"SVC_INVALID",
				`trigger instance "${id}" has the trigger type "${trigger_type}", which trigger "${trigger}" no longer has`,
			);
		};
		const { dispatcher } = this.#parts;
		return (await dispatcher.dispatch({ trigger, payload: copy, knownSecrets, isPayloadValidated: true, check })).instance;
	}

	async maskPayloads(instances: readonly TriggerInstanceEntity[]): Promise<readonly TriggerInstanceEntity[]> {
		const snapshots = await this.#readSnapshots(instances);
		const work = createMaskBudget();
		await waitForLoopBudget();
		return Promise.all(
			instances.map(async (instance) => {
				const id = toExecutionId(instance);
				const { payload } = instance;
				return this.#hideKnown(instance, id === undefined ? payload : await this.#maskPayload(payload, snapshots.get(id), work));
			}),
		);
	}

	/** Returns the snapshot ids of the executions that payloads describe, by execution id. */
	async #readSnapshots(instances: readonly TriggerInstanceEntity[]): Promise<ReadonlyMap<string, string>> {
		const { storage } = this.#parts;
		const ids = [...new Set(instances.flatMap((instance) => toExecutionId(instance) ?? []))];
		const found = ids.length === 0 ? [] : await storage.find("execution", { where: { id: { in: ids } }, fields: ["snapshot_id"] });
		return new Map(found.map(({ id, snapshot_id }) => [id, snapshot_id]));
	}

	/**
	 * Masks the result of an execution in a payload.
	 * If the execution was removed, the whole result is masked, because its secrets are unknown.
	 */
	async #maskPayload(payload: JsonObject, snapshotId: string | undefined, work: WorkBudget): Promise<JsonObject> {
		const snapshot = snapshotId === undefined ? undefined : await this.#parts.catalog.snapshot(snapshotId);
		const show = (result: JsonObject) => (snapshot === undefined ? secretMask : work.run(() => maskExecutionResult(result, snapshot)));
		const { result, data } = payload;
		if (isJsonObject(result)) return { ...payload, result: show(result) };
		if (!isJsonObject(data) || typeof data["result"] !== "string") return payload;
		const parsed = parseOrUndefined(data["result"]);
		// No execution has a result that is not an object, so there is nothing to mask.
		if (!isJsonObject(parsed)) return payload;
		const inner = show(parsed);
		return { ...payload, data: { ...data, result: inner === secretMask ? secretMask : stringifyJson(inner) } };
	}

	#hideKnown(instance: TriggerInstanceEntity, payload: JsonObject): TriggerInstanceEntity {
		const secrets = this.#parts.sealedSecrets.decrypt(instance.known_secrets);
		return { ...instance, payload: secrets.redactJson(payload) };
	}
}

/** Parses JSON. Returns undefined for a string that is not JSON, because users who may dispatch events may send any string. */
function parseOrUndefined(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

/** Returns the id of the execution whose end an instance announces. Returns undefined for any other instance. */
function toExecutionId({ trigger_type, payload }: TriggerInstanceEntity): string | undefined {
	const isCompletion = trigger_type === triggerRefs.action || trigger_type === triggerRefs.notify;
	const id = isCompletion ? payload?.["execution_id"] : undefined;
	return typeof id === "string" ? id : undefined;
}

function toWhere({ occurrence_time, trigger, trigger_type, ...rest }: InstanceFilter, dialects: Dialects) {
	return {
		...Object.fromEntries(Object.entries(rest).flatMap(([field, value]) => (value === undefined ? [] : [[field, toInCondition(value)]]))),
		...(trigger !== undefined && { trigger: toInCondition(dialects.triggerTypes(trigger)) }),
		...(trigger_type !== undefined && { trigger_type: toInCondition(dialects.triggerTypes(trigger_type)) }),
		...(occurrence_time !== undefined && { occurrence_time }),
	};
}
