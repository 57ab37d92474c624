import { type ExecutionEntity, isSvcError, type JsonObject, type Logger, type Options } from "../../contract/index.ts";
import type { Dispatch, Dispatcher } from "../../kernel/events/dispatcher.ts";
import type { Catalog } from "../../kernel/executions/catalog.ts";
import { type EndingDraft, type Follow, nothingFollows } from "../../kernel/executions/endings.ts";
import { type TemplateSources, toItemUser } from "../../kernel/executions/template-sources.ts";
import { noteDecrypted } from "../../kernel/secrets/note-decrypted.ts";
import type { SealedSecrets } from "../../kernel/secrets/sealed-secrets.ts";
import { findSecrets, toShownParameters } from "../../kernel/secrets/shown-parameters.ts";
import { toNotifications } from "./notifications.ts";
import { triggerRefs } from "./trigger-refs-api.ts";

/** An event of an execution's end. */
type Told = readonly [trigger: string, payload: JsonObject];

export interface EndedParts {
	readonly dispatcher: Dispatcher;
	readonly catalog: Catalog;
	readonly options: Options;
	readonly logger: Logger;
	/** What the templates of notifications read. */
	readonly templateSources: Pick<TemplateSources, "items" | "systemUser" | "isAdministrator">;
	readonly sealedSecrets: SealedSecrets;
}

/** Events of an execution's end, or of its question. */
export function createEndedExecutions(parts: EndedParts): Follow {
	const { dispatcher, logger } = parts;
	const { enable, emit_when } = parts.options.action_sensor;

	async function draftOne(ended: ExecutionEntity, knownSecrets: string | null, [trigger, payload]: Told) {
		const { id, trace_id, parent_id, trigger_instance_id } = ended;
		const event: Dispatch = {
			trigger,
			payload,
			knownSecrets,
			// An inquiry has a trace of its own (reference 3.3).
			...(trigger === triggerRefs.inquiry && { trace: { trace_tag: `inquiry-${id}` } }),
			causedBy: { executionId: id, execution: { id, trace_id, parent_id, trigger_instance_id } },
		};
		try {
			return await dispatcher.draft(event);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.error("event of an ended execution could not be made", { execution_id: id, trigger, error });
			return undefined;
		}
	}

	async function toPayloads(ended: ExecutionEntity, decrypted: string[]): Promise<Told[]> {
		if (ended.status === "pending") return [[triggerRefs.inquiry, { id: ended.id, route: ended.result?.["route"] ?? "" }]];
		const notifications = await notify(ended, decrypted);
		const events = notifications.map((payload) => [triggerRefs.notify, payload] as const);
		if (!enable || !emit_when.includes(ended.status) || !(await dispatcher.isWanted(triggerRefs.action))) return events;
		const snapshot = await parts.catalog.snapshot(ended.snapshot_id);
		return [[triggerRefs.action, toPayload(ended, toShownParameters(ended.parameters, snapshot))], ...events];
	}

	async function notify(ended: ExecutionEntity, decrypted: string[]): Promise<readonly JsonObject[]> {
		if (ended.notify === null || Object.keys(ended.notify).length === 0) return [];
		const { items, systemUser, isAdministrator } = parts.templateSources;
		const user = toItemUser(ended.context, systemUser);
		const snapshot = await parts.catalog.snapshot(ended.snapshot_id);
		// Those of a request read no secret that the action itself has put into its parameters.
		const author = ended.author ?? undefined;
		const isGiven = Object.keys(snapshot.action.notify).length === 0 && !(await isAdministrator(author ?? ended.user));
		const access = isGiven ? items.accessForGiven(user, { author }) : items.accessFor(user, author);
		const parameters = isGiven ? toShownParameters(ended.parameters, snapshot) : ended.parameters;
		return toNotifications({ ...ended, parameters }, noteDecrypted(access, decrypted), (problem) => {
			const secrets = parts.sealedSecrets.ofExecution(ended, snapshot).with(decrypted);
			logger.error("notification could not be made", { execution_id: ended.id, action: ended.action_ref, problem: secrets.text(problem) });
		});
	}

	/** Everything that is secret in what is told of the execution: others tell it further. */
	async function toKnownSecrets({ known_secrets, parameters, snapshot_id }: ExecutionEntity, decrypted: readonly string[]) {
		const { sealedSecrets } = parts;
		const found = findSecrets(parameters, await parts.catalog.snapshot(snapshot_id));
		return sealedSecrets.add(sealedSecrets.withoutToken(known_secrets), [...found, ...decrypted]);
	}

	async function draftEvents(ended: ExecutionEntity): Promise<EndingDraft> {
		const decrypted: string[] = [];
		const payloads = await toPayloads(ended, decrypted);
		if (payloads.length === 0) return nothingFollows;
		const knownSecrets = await toKnownSecrets(ended, decrypted);
		const drafts = await Promise.all(payloads.map((told) => draftOne(ended, knownSecrets, told)));
		return {
			operations: drafts.flatMap((draft) => draft?.operations ?? []),
			announce() {
				for (const draft of drafts) draft?.announce();
			},
		};
	}

	return draftEvents;
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
