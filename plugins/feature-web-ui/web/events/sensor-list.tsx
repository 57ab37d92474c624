import { escapeControlCharacters, escapeControlCharactersInLines, type SensorRecord } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";

/** Lists the sensors with their state, and the reason if a sensor does not run. */
export function SensorList() {
	const sensors = useResource(() => client.sensors.list(), []);
	const change = async ({ ref, enabled }: SensorRecord) => {
		await attempt(() => client.sensors.setEnabled(ref, !enabled), enabled ? "The sensor is switched off" : "The sensor is switched on");
		await sensors.reload();
	};
	return (
		<Loaded resource={sensors}>
			{({ items }) =>
				items.length === 0 ? (
					<Empty title="There are no sensors">
						<p>Sensors come with packs, and with the configuration.</p>
					</Empty>
				) : (
					<DataTable label="Sensors" columns={toColumns(change)} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

function toColumns(change: (sensor: SensorRecord) => Promise<void>): readonly Column<SensorRecord>[] {
	return [
		{ title: "State", cell: ({ state }) => <StatusBadge status={state} /> },
		{ title: "Since", cell: ({ state_changed_at }) => <Ago at={state_changed_at} /> },
		{ title: "Sensor", cell: ({ ref }) => escapeControlCharacters(ref) },
		{
			title: "How it does",
			class: "wide",
			cell: ({ last_error, restarts, description }) =>
				last_error === null ? (
					escapeControlCharacters(description)
				) : (
					<span class="bad-text" title={escapeControlCharactersInLines(last_error)}>
						{restarts > 0 && `failed ${restarts} times in a row: `}
						{escapeControlCharactersInLines(last_error)}
					</span>
				),
		},
		{ title: "Node", cell: ({ node }) => node ?? "–" },
		{
			title: "Switch",
			cell: (sensor) =>
				session.may("sensor_type_modify", sensor.uid) && (
					<button type="button" aria-label={`${sensor.enabled ? "Disable" : "Enable"} ${sensor.ref}`} onClick={() => void change(sensor)}>
						{sensor.enabled ? "Disable" : "Enable"}
					</button>
				),
		},
	];
}
