import { escapeControlCharacters, escapeControlCharactersInLines, type WebhookDeliveryRecord } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { Ago } from "../parts/time.tsx";
import { toEventHref } from "./event-list.tsx";

const pageSize = 50;
const verdicts = ["accepted", "duplicate", "refused", "replayed", "overruled"];

/** Lists the deliveries to webhooks that record them, the newest first. */
export function Deliveries() {
	const query = { url: addressBar.query("url") || undefined, verdict: addressBar.query("verdict") || undefined, ...toPaging(pageSize) };
	const deliveries = useResource(() => client.webhooks.deliveries(query), [JSON.stringify(query)]);
	const replay = async (id: string) => {
		await attempt(() => client.webhooks.replay(id), "It is delivered once more");
		await deliveries.reload();
	};
	return (
		<>
			<FilterBar
				filters={[
					{ name: "url", label: "Webhook", kind: "text" },
					{ name: "verdict", label: "Verdict", kind: "choice", values: verdicts },
				]}
			/>
			<Loaded resource={deliveries}>
				{({ items, total }) =>
					items.length === 0 ? (
						<Empty title="No delivery like this is kept">
							<p>
								Webhooks keep their deliveries when their rule asks for it: <code>ledger: true</code> beside the <code>url</code>.
							</p>
						</Empty>
					) : (
						<>
							<DataTable label="Deliveries" columns={toColumns(replay)} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

function toColumns(replay: (id: string) => Promise<void>): readonly Column<WebhookDeliveryRecord>[] {
	const mayReplay = ({ url, verdict }: WebhookDeliveryRecord) => verdict !== "refused" && session.may("webhook_send", `webhook:${url}`);
	return [
		{ title: "Verdict", cell: ({ verdict }) => verdict },
		{ title: "Webhook", cell: ({ url }) => escapeControlCharacters(url) },
		{ title: "When", cell: ({ received_at }) => <Ago at={received_at} /> },
		{
			title: "What came of it",
			class: "wide",
			cell: ({ reason, trigger_instance_id: event }) =>
				event === undefined ? (
					escapeControlCharactersInLines(reason ?? "nothing")
				) : (
					<a href={toEventHref(event)}>The event, to test rules with</a>
				),
		},
		{
			title: "Again",
			cell: (delivery) =>
				mayReplay(delivery) && (
					<button type="button" aria-label={`Replay ${delivery.id}`} onClick={() => void replay(delivery.id)}>
						Replay
					</button>
				),
		},
	];
}
