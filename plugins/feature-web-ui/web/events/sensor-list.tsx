import { escapeControlCharacters, escapeControlCharactersInLines, type SensorRecord } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";

/** Lists the sensors with their state, and the reason if a sensor does not run. */
export function SensorList() {
	const sensors = useResource(() => client.sensors.list(), []);
	const change = async ({ ref, enabled }: SensorRecord) => {
		await attempt(() => client.sensors.setEnabled(ref, !enabled), enabled ? texts.sensorDisabled : texts.sensorEnabled);
		await sensors.reload();
	};
	return (
		<Loaded resource={sensors}>
			{({ items }) =>
				items.length === 0 ? (
					<Empty title={texts.noSensors} step={texts.noSensorsStep} />
				) : (
					<DataTable label={texts.sensors} columns={toColumns(change)} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

function toColumns(change: (sensor: SensorRecord) => Promise<void>): readonly Column<SensorRecord>[] {
	return [
		{ title: common.state, cell: ({ state }) => <StatusBadge status={state} /> },
		{ title: texts.since, cell: ({ state_changed_at }) => <Ago at={state_changed_at} /> },
		{ title: texts.sensor, cell: ({ ref }) => escapeControlCharacters(ref) },
		{
			title: texts.details,
			class: "wide",
			cell: ({ last_error, restarts, description }) =>
				last_error === null ? (
					escapeControlCharacters(description)
				) : (
					<span class="bad-text" title={escapeControlCharactersInLines(last_error)}>
						{restarts > 0 && texts.failedTimes(restarts)}
						{escapeControlCharactersInLines(last_error)}
					</span>
				),
		},
		{ title: common.node, cell: ({ node }) => node ?? "–" },
		{
			title: texts.operation,
			cell: (sensor) =>
				session.may("sensor_type_modify", sensor.uid) && (
					<button
						type="button"
						aria-label={sensor.enabled ? texts.disableNamed(sensor.ref) : texts.enableNamed(sensor.ref)}
						onClick={() => void change(sensor)}
					>
						{sensor.enabled ? common.disable : common.enable}
					</button>
				),
		},
	];
}
