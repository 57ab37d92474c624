import { isDeepStrictEqual } from "node:util";
import { type ExecutionEntity, isSvcError, type JsonObject } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { IncomingEvent } from "../../kernel/events/event-dispatcher-api.ts";
import { type CompletionHookResult, noCompletionEffects } from "../../kernel/executions/completion-effects.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { toDatastoreUser } from "../../kernel/submission/parameter-rendering.ts";
import { collectDecrypted } from "../../secrets/encrypted-secrets.ts";
import { findParameterSecrets, maskExecutionParameters } from "../../secrets/parameter-masking.ts";
import { toNotifyPayloads } from "./notify-payloads.ts";
import { triggerRefs } from "./trigger-type-refs-exports.ts";

/** Trigger and payload of an event that announces the end of an execution, or that it waits for the answer to an inquiry. */
type Told = readonly [trigger: string, payload: JsonObject];

export type CompletionEventDependencies = Uses<"options" | "logger" | "sealedSecrets"> &
	Pick<Kernel, "dispatcher" | "catalog" | "templateSources">;

/** Creates the events for executions that end or wait for the answer to an inquiry. */
export class CompletionEvents {
	readonly #parts: CompletionEventDependencies;

	constructor(parts: CompletionEventDependencies) {
		this.#parts = parts;
	}

	/** Creates the events for an execution that is about to be stored with its new status. */
	async draft(ended: ExecutionEntity): Promise<CompletionHookResult> {
		const decrypted: string[] = [];
		const payloads = await this.#toPayloads(ended, decrypted);
		if (payloads.length === 0) return noCompletionEffects;
		const knownSecrets = await this.#toKnownSecrets(ended, decrypted);
		const drafts = await Promise.all(payloads.map((told) => this.#draftOne(ended, knownSecrets, told)));
		return {
			operations: drafts.flatMap((draft) => draft?.operations ?? []),
			announce() {
				for (const draft of drafts) draft?.announce();
			},
		};
	}

	async #toPayloads(ended: ExecutionEntity, decrypted: string[]): Promise<Told[]> {
		if (ended.status === "pending") return [[triggerRefs.inquiry, { id: ended.id, route: ended.result?.["route"] ?? "" }]];
		const notifications = await this.#notify(ended, decrypted);
		const events = notifications.map((payload) => [triggerRefs.notify, payload] as const);
		const { dispatcher, catalog, options } = this.#parts;
		const { enable, emit_when } = options.action_sensor;
		if (!enable || !emit_when.includes(ended.status) || !(await dispatcher.isWanted(triggerRefs.action))) return events;
		const snapshot = await catalog.snapshot(ended.snapshot_id);
		return [[triggerRefs.action, toPayload(ended, maskExecutionParameters(ended.parameters, snapshot))], ...events];
	}

	async #notify(ended: ExecutionEntity, decrypted: string[]): Promise<readonly JsonObject[]> {
		if (ended.notify === null || Object.keys(ended.notify).length === 0) return [];
		const { items, systemUser, isAdministrator } = this.#parts.templateSources;
		const user = toDatastoreUser(ended.context, systemUser);
		const snapshot = await this.#parts.catalog.snapshot(ended.snapshot_id);
		// Notifications given with the request must not read secrets that the action's own definition puts into the parameters.
		const isOwn = isDeepStrictEqual(ended.notify, snapshot.action.notify);
		// An API key with scopes does not have the rights of an administrator, even if an administrator created it.
		const isGiven = !isOwn && (ended.scopes !== null || !(await isAdministrator(ended.author ?? ended.user)));
		const access = isGiven ? items.accessForGiven(user, ended) : items.accessFor(user, ended);
		const parameters = isGiven ? maskExecutionParameters(ended.parameters, snapshot) : ended.parameters;
		return toNotifyPayloads({ ...ended, parameters }, collectDecrypted(access, decrypted), (problem) => {
			const { sealedSecrets, logger } = this.#parts;
			const secrets = sealedSecrets.decryptForExecution(ended, snapshot).withValues(decrypted);
			const fields = { execution_id: ended.id, action: ended.action_ref, problem: secrets.redactText(problem) };
			logger.warn("a value of a notification could not be rendered; it is sent unrendered", fields);
		});
	}

	/** Collects every secret that the events of the execution may contain, because rules pass these events on to other actions. */
	async #toKnownSecrets({ known_secrets, parameters, snapshot_id }: ExecutionEntity, decrypted: readonly string[]) {
		const { sealedSecrets, catalog } = this.#parts;
		const found = findParameterSecrets(parameters, await catalog.snapshot(snapshot_id));
		return sealedSecrets.addValues(sealedSecrets.withoutToken(known_secrets), [...found, ...decrypted]);
	}

	async #draftOne(ended: ExecutionEntity, knownSecrets: string | null, [trigger, payload]: Told) {
		const { id, trace_id, parent_id, trigger_instance_id } = ended;
		const event: IncomingEvent = {
			trigger,
			payload,
			knownSecrets,
			// An inquiry has a trace of its own.
			...(trigger === triggerRefs.inquiry && { trace: { trace_tag: `inquiry-${id}` } }),
			causedBy: { executionId: id, execution: { id, trace_id, parent_id, trigger_instance_id } },
		};
		try {
			return await this.#parts.dispatcher.draft(event);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			this.#parts.logger.error("creating the event of a completed execution failed", { execution_id: id, trigger, error });
			return undefined;
		}
	}
}

function toPayload(ended: ExecutionEntity, parameters: JsonObject): JsonObject {
	return {
		execution_id: ended.id,
		status: ended.status,
		start_timestamp: ended.start_timestamp,
		action_name: ended.action_ref,
		action_ref: ended.action_ref,
		runner_ref: ended.runner_name,
		parameters,
		result: ended.result ?? {},
	};
}
