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
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";
import { toEventHref } from "./event-list.tsx";

const pageSize = 50;
const verdicts = ["accepted", "duplicate", "refused", "replayed", "overruled"];

/** Lists the deliveries to webhooks that record them, the newest first. */
export function Deliveries() {
	const query = { url: addressBar.query("url") || undefined, verdict: addressBar.query("verdict") || undefined, ...toPaging(pageSize) };
	const deliveries = useResource(() => client.webhooks.deliveries(query), [JSON.stringify(query)]);
	const replay = async (id: string) => {
		await attempt(() => client.webhooks.replay(id), texts.replayed);
		await deliveries.reload();
	};
	return (
		<>
			<FilterBar
				filters={[
					{ name: "url", label: texts.webhook, kind: "text" },
					{ name: "verdict", label: texts.verdict, kind: "choice", values: verdicts },
				]}
			/>
			<Loaded resource={deliveries}>
				{({ items, total }) =>
					items.length === 0 ? (
						<Empty title={texts.noDeliveries} step={texts.noDeliveriesStep} />
					) : (
						<>
							<DataTable label={texts.deliveries} columns={toColumns(replay)} rows={items} toKey={({ id }) => id} />
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
		{ title: texts.verdict, cell: ({ verdict }) => verdict },
		{ title: texts.webhook, cell: ({ url }) => escapeControlCharacters(url) },
		{ title: common.time, cell: ({ received_at }) => <Ago at={received_at} /> },
		{
			title: common.result,
			class: "wide",
			cell: ({ reason, trigger_instance_id: event }) =>
				event === undefined ? (
					escapeControlCharactersInLines(reason ?? common.none)
				) : (
					<a href={toEventHref(event)}>{texts.eventOfDelivery}</a>
				),
		},
		{
			title: texts.replay,
			cell: (delivery) =>
				mayReplay(delivery) && (
					<button type="button" aria-label={texts.replayNamed(delivery.id)} onClick={() => void replay(delivery.id)}>
						{texts.replay}
					</button>
				),
		},
	];
}
