import type { JsonObject } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, type TriggerTypeRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";

const pageSize = 50;

const columns: readonly Column<TriggerTypeRecord>[] = [
	{
		title: common.triggerType,
		cell: ({ ref }) => (
			<a class="row-link" href={toTriggerTypeHref(ref)}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{ title: common.description, class: "wide", cell: ({ description }) => escapeControlCharacters(description) },
	{ title: common.parameters, class: "mono item-name", cell: ({ parameters_schema }) => toNames(parameters_schema) },
	{ title: texts.payload, class: "mono item-name", cell: ({ payload_schema }) => toNames(payload_schema) },
];

export function toTriggerTypeHref(ref: string): string {
	return toHref(toPath("/events/triggers/:ref", { ref }));
}

export function TriggerTypeList() {
	const query = { pack: addressBar.query("pack") || undefined, sort: "ref", ...toPaging(pageSize) };
	const types = useResource(() => client.triggers.types.list(query), [JSON.stringify(query)]);
	return (
		<>
			<FilterBar filters={[{ name: "pack", label: common.pack, kind: "text" }]} />
			<Loaded resource={types}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={texts.noTriggerTypes} step={common.filterStep} />
					) : (
						<>
							<DataTable label={texts.triggerTypes} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

/** Returns the property names of a schema, separated by commas. */
function toNames({ properties }: JsonObject): string {
	return typeof properties === "object" && properties !== null ? Object.keys(properties).map(escapeControlCharacters).join(", ") : "";
}
