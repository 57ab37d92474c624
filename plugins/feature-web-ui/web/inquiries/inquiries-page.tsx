import { escapeControlCharacters, type InquiryRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/inquiries.ts";

const pageSize = 20;

const columns: readonly Column<InquiryRecord>[] = [
	{
		title: texts.question,
		class: "wide",
		cell: ({ id, route }) => (
			<a class="row-link" href={toHref(toPath("/inquiries/:id", { id }))}>
				{route === "" ? id : escapeControlCharacters(route)}
			</a>
		),
	},
	{ title: texts.asked, cell: (inquiry) => escapeControlCharacters(toAsked(inquiry)) },
	{ title: texts.timeLimit, cell: ({ ttl }) => (ttl === 0 ? common.none : texts.minutes(ttl)) },
];

/** Lists the inquiries that wait for an answer. */
export function Page() {
	const paging = toPaging(pageSize);
	const inquiries = useResource(() => client.inquiries.list({ ...paging, sort_desc: "True" }), [paging.offset], {
		isTouched: ({ name }) => name.startsWith("svc.execution__"),
	});
	return (
		<>
			<div class="page-head">
				<h1>{common.inquiries}</h1>
			</div>
			<Loaded resource={inquiries}>
				{({ items, total }) =>
					items.length === 0 ? (
						<Empty title={texts.none} step={texts.noneStep} />
					) : (
						<>
							<DataTable label={common.inquiries} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

/** Returns the users and roles that may answer, separated by commas, or `anyone` if none are named. */
export function toAsked({ users, roles }: Pick<InquiryRecord, "users" | "roles">): string {
	return [...users, ...roles.map(texts.toRole)].join(", ") || texts.anyone;
}
