import { sensorKind } from "../../contract/entities/sensor.ts";
import type { SensorEntity } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { parseSelection, selectionQuery } from "../../http/field-selection.ts";
import { answerJson, answerSelectedPage } from "../../http/openapi/responses.ts";
import {
	arrayOf,
	defineSchema,
	enumOf,
	fieldsOf,
	nullable,
	objectSchema,
	partOf,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { replyJson } from "../../http/replies.ts";
import { replyList, selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { SensorsApi } from "./api.ts";
import type { SensorTypes } from "./sensor-types-exports.ts";

const stored = fieldsOf(sensorKind, [
	"id",
	"ref",
	"name",
	"pack",
	"description",
	"enabled",
	"poll_interval",
	"restarts",
	"state_changed_at",
]);

/** Sensor in API responses, with its state. */
const sensorSchema = defineSchema(
	"Sensor",
	objectSchema({
		...stored,
		...{
			uid: stringSchema,
			artifact_uri: stringSchema,
			entry_point: stringSchema,
			metadata_file: stringSchema,
			trigger_types: arrayOf(stringSchema),
		},
		poll_interval: nullable(stored.poll_interval),
		state: enumOf("stopped", "running", "waiting", "failed"),
		last_error: nullable(stringSchema),
		next_start_at: nullable(timestamp),
		node: nullable(stringSchema),
	}),
	{
		id: "66a1e0019d3e4b7a51c00060",
		uid: "sensor_type:disk:VolumeSensor",
		ref: "disk.VolumeSensor",
		name: "VolumeSensor",
		pack: "disk",
		description: "Watches volumes.",
		artifact_uri: "file:///opt/svc/packs/disk/sensors/volume.py",
		entry_point: "sensors.volume.VolumeSensor",
		trigger_types: ["disk.volume_full"],
		poll_interval: 30,
		enabled: true,
		metadata_file: "sensors/volume.yaml",
		state: "running",
		state_changed_at: "2031-03-04T09:15:02.418273Z",
		restarts: 0,
		last_error: null,
		next_start_at: null,
		node: "66a1e0019d3e4b7a51c00070",
	},
);
const sensorPart = partOf(sensorSchema);

const { defineRoute } = createRouteDeclarations<SensorsApi>();

const rules = selectionRulesOf(
	[
		...["id", "uid", "ref", "name", "pack", "description", "artifact_uri", "entry_point", "trigger_types", "poll_interval", "enabled"],
		...["metadata_file", "state", "state_changed_at", "restarts", "last_error", "next_start_at", "node"],
	],
	["id", "ref"],
);

/** Body of a change. Clients send the whole record, but only `enabled` takes effect. If it is missing, the sensor is disabled. */
const changeBody = defineBody<{ readonly enabled?: boolean }>({ properties: { enabled: { type: "boolean" } } });

async function findSensorResource({ engine, path }: Pick<RouteContext<SensorsApi>, "engine" | "path">): Promise<GuardedResource> {
	return toSensorResource(await engine.sensorTypes.get(path["ref"] ?? ""));
}

function toSensorResource({ pack, name }: SensorEntity): GuardedResource {
	return { uid: `sensor_type:${pack}:${name}`, pack };
}

async function replySensor(sensor: SensorEntity, { sensorTypes }: SensorsApi) {
	const [record] = await toSensorTypes([sensor], sensorTypes);
	return replyJson(record);
}

/** Routes for sensors and their states. */
export const sensorRoutes = [
	defineRoute({
		method: "GET",
		path: "/sensortypes",
		summary: "List sensors",
		description: "`id`, `name`, `pack`, `enabled` and `trigger` (ref of one of its trigger types) filter the list.",
		answers: { 200: answerSelectedPage(sensorSchema, sensorPart) },
		permission: "sensor_type_list",
		query: { ...pagingQuery, ...selectionQuery, id: "string", name: "list", pack: "string", enabled: "boolean", trigger: "string" },
		async handler(context) {
			const { id, name, pack, enabled, trigger } = context.query;
			const paging = parsePaging(context);
			const selection = parseSelection(context.query, rules);
			const filter = {
				...(id !== undefined && { id: parseIds(id) }),
				...withoutUndefined({ name, pack, enabled, trigger }),
			};
			const page = await context.engine.sensorTypes.list(filter, paging);
			return replyList({ ...page, items: await toSensorTypes(page.items, context.engine.sensorTypes) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/sensortypes/:ref",
		summary: "Get a sensor",
		answers: { 200: answerJson(sensorSchema) },
		permission: "sensor_type_view",
		resource: findSensorResource,
		async handler({ engine, path }) {
			return replySensor(await engine.sensorTypes.get(path["ref"] ?? ""), engine);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/sensortypes/:ref",
		summary: "Enable or disable a sensor",
		description: "Only the field `enabled` of the body is used; without it, the sensor is disabled.",
		answers: { 200: answerJson(sensorSchema) },
		permission: "sensor_type_modify",
		resource: findSensorResource,
		body: changeBody,
		async handler({ engine, path, body }) {
			return replySensor(await engine.sensorTypes.setEnabled(path["ref"] ?? "", body.enabled ?? false), engine);
		},
	}),
];

/** Converts sensors to the records that the API returns. */
export async function toSensorTypes(sensors: readonly SensorEntity[], types: Pick<SensorTypes, "artifacts">): Promise<WireRecord[]> {
	const artifacts = await types.artifacts(sensors);
	return sensors.map((sensor, index) => toSensorType(sensor, artifacts[index] ?? ""));
}

function toSensorType(sensor: SensorEntity, artifact: string): WireRecord {
	const { id, ref, name, pack, description, trigger_types, poll_interval, enabled } = sensor;
	const { state, state_changed_at, restarts, last_error, next_start_at, owner } = sensor;
	return {
		...{ id, uid: `sensor_type:${pack}:${name}`, ref, name, pack, description },
		...{ artifact_uri: artifact, entry_point: toEntryPoint(sensor), trigger_types, poll_interval, enabled },
		metadata_file: sensor.metadata_file ?? "",
		...{ state, state_changed_at, restarts, last_error, next_start_at, node: owner },
	};
}

/** Returns the entry point as a module and a class, the format that API clients expect. Empty for a sensor of the configuration. */
function toEntryPoint({ entry_point, name }: SensorEntity): string {
	if (entry_point === null) return "";
	const module = entry_point.replace(/\.\w+$/, "").replaceAll("/", ".");
	return `sensors.${module}.${name}`;
}
