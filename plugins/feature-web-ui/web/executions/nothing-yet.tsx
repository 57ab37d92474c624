import { Empty } from "../parts/empty.tsx";

/** Shows how to start a first run if there are none. */
export function NothingYet() {
	return (
		<Empty title="Nothing has run yet">
			<p>Run an action, from a shell for instance:</p>
			<p>
				<code>svc run core.local cmd="uptime"</code>
			</p>
		</Empty>
	);
}
