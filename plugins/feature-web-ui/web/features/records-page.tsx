import { type JsonObject, type JsonValue, stringifyJson } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, type PageEntryRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { api } from "../kit/service.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { toLocal } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/frame.ts";

const pageSize = 50;

/** Returns the page of an entry, which lists the records of a feature that this page does not know. */
export function toRecordsPage({ title, path, is_paged, columns }: PageEntryRecord) {
	const shown = columns.map(({ member, title: heading }) => ({
		title: heading,
		class: "any-value",
		cell: ({ record }: Row) => <Value value={record[member]} />,
	}));
	return function RecordsPage() {
		const query = is_paged ? toPaging(pageSize) : {};
		const records = useResource(() => api.list<JsonObject>(path, query), [stringifyJson(query)]);
		return (
			<>
				<div class="page-head">
					<h1>{title}</h1>
				</div>
				<Loaded resource={records}>
					{({ items, total, hasMore }) =>
						items.length === 0 ? (
							<Empty title={texts.noRecords} step={texts.noRecordsStep} />
						) : (
							<>
								<DataTable isFocusable label={title} columns={shown} rows={items.map(toRow)} toKey={({ key }) => key} />
								{is_paged && <Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />}
							</>
						)
					}
				</Loaded>
			</>
		);
	};
}

interface Row {
	readonly record: JsonObject;
	readonly key: string;
}

function toRow(record: JsonObject, index: number): Row {
	return { record, key: typeof record["id"] === "string" ? record["id"] : String(index) };
}

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Shows a value in the way in which the other pages show values of its type. */
function Value({ value }: { readonly value: JsonValue | undefined }) {
	if (value === undefined || value === null) return null;
	if (typeof value === "boolean") return <>{value ? common.yes : common.no}</>;
	if (typeof value !== "string") return <>{escapeControlCharacters(stringifyJson(value))}</>;
	if (!timestampPattern.test(value) || Number.isNaN(Date.parse(value))) return <>{escapeControlCharacters(value)}</>;
	return <time dateTime={value}>{toLocal(value)}</time>;
}
