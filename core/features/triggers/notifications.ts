import { type ExecutionEntity, isJsonObject, isSvcError, type JsonObject, type JsonValue, toErrorMessage } from "../../contract/index.ts";
import { toValueTemplate } from "../../language/parameters/value-template.ts";
import { type Datastore, type DatastoreAccess, renderWithLookups } from "../../language/templates/datastore.ts";
import { toScope } from "../../language/templates/scope.ts";

/** Words that the default message ends with, by section. */
const sections = { "on-complete": "completed", "on-success": "succeeded", "on-failure": "failed" } as const;
type Section = keyof typeof sections;

/**
 * Payloads of the notifications an ended execution asks for (reference 4.7): one for each route of each section that applies. A
 * section whose templates fail is reported, and the others go on. Rejects with `SVC_UNAVAILABLE` while the storage is away.
 */
export async function toNotifications(
	ended: ExecutionEntity,
	access: DatastoreAccess,
	report: (problem: string) => void,
): Promise<readonly JsonObject[]> {
	const payloads: JsonObject[] = [];
	for (const section of Object.keys(sections) as Section[]) {
		const notification = readSection(ended.notify ?? {}, section);
		if (notification === undefined || !applies(section, ended)) continue;
		try {
			payloads.push(...(await renderWithLookups(access, (datastore) => toPayloads(ended, section, notification, datastore))));
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			report(`${section}: ${toErrorMessage(error)}`);
		}
	}
	return payloads;
}

/** Old files write the sections with underscores. */
function readSection(notify: JsonObject, section: Section): JsonObject | undefined {
	const value = notify[section] ?? notify[section.replaceAll("-", "_")];
	return isJsonObject(value) ? value : undefined;
}

function applies(section: Section, { status }: ExecutionEntity): boolean {
	if (section === "on-complete") return true;
	return section === "on-success" ? status === "succeeded" : ["failed", "timeout", "abandoned"].includes(status);
}

function toPayloads(ended: ExecutionEntity, section: Section, notification: JsonObject, datastore: Datastore): JsonObject[] {
	const names = { action_parameters: ended.parameters, action_context: ended.context, action_results: ended.result ?? {} };
	const scope = toScope(names, datastore, ["system"]);
	const isLiteral = notification["literal"] === true;
	const render = (value: JsonValue) => (isLiteral ? undefined : toValueTemplate(value)?.render(scope)) ?? value;
	const { message = `${ended.action_ref} ${sections[section]}`, data = {}, routes = notification["channels"] ?? [] } = notification;
	const rendered = render(data);
	const payload = {
		execution_id: ended.id,
		status: ended.status,
		start_timestamp: ended.start_timestamp,
		end_timestamp: ended.end_timestamp,
		action_ref: ended.action_ref,
		runner_ref: ended.runner_name,
		message: render(message),
		data: { ...(isJsonObject(rendered) ? rendered : {}), result: JSON.stringify(ended.result ?? {}) },
	};
	return [routes].flat().map((route) => ({ ...payload, channel: String(route), route: String(route) }));
}
