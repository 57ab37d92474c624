import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { WebhookRecord } from "../../features/clients.ts";
import { useResource } from "../kit/resource.ts";
import { toHref } from "../kit/router.ts";
import { client, session, toApiHref } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";

const columns: readonly Column<WebhookRecord>[] = [
	{ title: "Address", class: "wide", cell: (hook) => <code>{escapeControlCharacters(toApiHref(`/webhooks/${toUrl(hook)}`))}</code> },
	{
		title: "Rules",
		cell: ({ ref }) => (session.may("rule_list") ? <a href={toHref("/rules", { trigger: ref })}>Its rules</a> : null),
	},
	{ title: "Deliveries", cell: (hook) => <a href={toHref("/events/deliveries", { url: toUrl(hook) })}>Deliveries</a> },
];

/** Lists the webhooks: URLs to which external systems can post. */
export function WebhookList() {
	const hooks = useResource(() => client.webhooks.list(), []);
	return (
		<Loaded resource={hooks}>
			{({ items }) =>
				items.length === 0 ? (
					<Empty title="No rule has registered a webhook">
						<p>
							A rule with the trigger <code>core.svc.webhook</code> and a <code>url</code> registers one.
						</p>
					</Empty>
				) : (
					<DataTable label="Webhooks" columns={columns} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

function toUrl({ parameters }: WebhookRecord): string {
	return String(parameters["url"] ?? "");
}
