import {
	type ExecutionEntity,
	isJsonObject,
	isSvcError,
	type JsonObject,
	type JsonValue,
	stringifyJson,
	toErrorMessage,
} from "../../contract/index.ts";
import { toValueTemplate } from "../../language/parameters/value-template.ts";
import { type DatastoreAccess, renderWithLookups } from "../../language/templates/datastore.ts";
import { toScope } from "../../language/templates/scope.ts";

/** Last word of the default message, by section. */
const sections = { "on-complete": "completed", "on-success": "succeeded", "on-failure": "failed" } as const;
type Section = keyof typeof sections;

/** Renders a value of a notification. A value that cannot be rendered is returned unchanged. */
type Render = (value: JsonValue, what: string) => Promise<JsonValue>;

/**
 * Returns the payloads of the notifications of an ended execution: one for each route of each section that applies.
 * A value that cannot be rendered is reported and stays unchanged. Rejects with `SVC_UNAVAILABLE` while the storage is unavailable.
 */
export async function toNotifyPayloads(
	ended: ExecutionEntity,
	access: DatastoreAccess,
	report: (problem: string) => void,
): Promise<readonly JsonObject[]> {
	const names = { action_parameters: ended.parameters, action_context: ended.context, action_results: ended.result ?? {} };
	const payloads: JsonObject[] = [];
	for (const section of Object.keys(sections) as Section[]) {
		const notification = readSection(ended.notify ?? {}, section);
		if (notification === undefined || !applies(section, ended)) continue;
		const render: Render = async (value, what) => {
			try {
				const template = toValueTemplate(value);
				if (template === undefined) return value;
				return await renderWithLookups(access, (datastore) => template.render(toScope(names, datastore, ["system"])));
			} catch (error) {
				if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
				report(`${section}, ${what}: ${toErrorMessage(error)}`);
				return value;
			}
		};
		payloads.push(...(await toPayloads(ended, section, notification, notification["literal"] === true ? asWritten : render)));
	}
	return payloads;
}

const asWritten: Render = async (value) => value;

/** Returns a section of `notify`. Old action files spell its name with underscores. */
function readSection(notify: JsonObject, section: Section): JsonObject | undefined {
	const value = notify[section] ?? notify[section.replaceAll("-", "_")];
	return isJsonObject(value) ? value : undefined;
}

function applies(section: Section, { status }: ExecutionEntity): boolean {
	if (section === "on-complete") return true;
	return section === "on-success" ? status === "succeeded" : ["failed", "timeout", "abandoned"].includes(status);
}

async function toPayloads(
	ended: ExecutionEntity,
	section: Section,
	{ message, data, routes, channels }: JsonObject,
	render: Render,
): Promise<JsonObject[]> {
	const text = await render(message ?? `${ended.action_ref} ${sections[section]}`, "message");
	const members = isJsonObject(data) ? await renderMembers(data, render) : await render(data ?? {}, "data");
	const payload = {
		execution_id: ended.id,
		status: ended.status,
		start_timestamp: ended.start_timestamp,
		end_timestamp: ended.end_timestamp,
		action_ref: ended.action_ref,
		runner_ref: ended.runner_name,
		message: typeof text === "string" ? text : stringifyJson(text),
		data: { ...(isJsonObject(members) ? members : {}), result: stringifyJson(ended.result ?? {}) },
	};
	return [routes ?? channels ?? []].flat().map((route) => ({ ...payload, channel: String(route), route: String(route) }));
}

/** Renders each member separately, both name and value, so that a member that cannot be rendered does not affect the others. */
async function renderMembers(data: JsonObject, render: Render): Promise<JsonObject> {
	const members: JsonObject[] = [];
	for (const [name, value] of Object.entries(data)) members.push((await render({ [name]: value }, `data.${name}`)) as JsonObject);
	return Object.fromEntries(members.flatMap((member) => Object.entries(member)));
}
