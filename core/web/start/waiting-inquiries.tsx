import { escapeControlCharacters } from "../../contract/control-characters.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";

const most = 10;

/** Lists the inquiries that wait for an answer; those that name the user are first. */
export function WaitingInquiries() {
	const inquiries = useResource((signal) => client.inquiries.list({ limit: session.toLimit(most), sort_desc: "True" }, { signal }), [], {
		isTouched: ({ data }) => typeof data === "object" && data !== null && "status" in data,
	});
	const own = session.user.value?.username ?? "";
	return (
		<Loaded resource={inquiries}>
			{({ items, total = items.length }) =>
				items.length > 0 && (
					<section class="card waiting">
						<h2>Waiting for an answer: {total.toLocaleString("en")}</h2>
						<ul>
							{[...items]
								.sort((a, b) => Number(b.users.includes(own)) - Number(a.users.includes(own)))
								.map(({ id, route, users }) => (
									<li key={id}>
										<a href={toHref(toPath("/inquiries/:id", { id }))}>{route === "" ? "Inquiry" : escapeControlCharacters(route)}</a>{" "}
										<span class="mono faint">{id}</span>
										{users.includes(own) && <span class="badge warn">asks you</span>}
									</li>
								))}
						</ul>
					</section>
				)
			}
		</Loaded>
	);
}
