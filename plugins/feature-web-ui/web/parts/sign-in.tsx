import { useSignal } from "@preact/signals";
import { session } from "../kit/service.ts";
import * as texts from "../texts/frame.ts";

/** Shows the sign-in form. The address does not change, so the user reaches the requested page after signing in. */
export function SignIn() {
	const isBusy = useSignal(false);
	const { way, takesPasswords, provider } = session.ways;
	const problem = session.problem.value;
	const signIn = async (form: HTMLFormElement) => {
		const data = new FormData(form);
		isBusy.value = true;
		await session.signIn({ username: String(data.get("username")), password: String(data.get("password")) });
		isBusy.value = false;
	};
	return (
		<main class="sign-in">
			<h1>{texts.signInTitle}</h1>
			{problem !== "" && (
				<p class="fault" role="alert">
					{problem}
				</p>
			)}
			{takesPasswords && (
				<form
					onSubmit={(event) => {
						event.preventDefault();
						void signIn(event.currentTarget);
					}}
				>
					<label>
						<span>{texts.user}</span>
						<input name="username" autocomplete="username" autocapitalize="none" spellcheck={false} required />
					</label>
					<label>
						<span>{texts.password}</span>
						<input name="password" type="password" autocomplete="current-password" required />
					</label>
					<button type="submit" class="primary" disabled={isBusy.value}>
						{texts.signIn}
					</button>
				</form>
			)}
			{provider !== "" && (
				<button
					type="button"
					class={takesPasswords ? undefined : "primary"}
					disabled={isBusy.value}
					onClick={async () => {
						isBusy.value = true;
						await session.signInElsewhere();
						isBusy.value = false;
					}}
				>
					{texts.signInWith(provider)}
				</button>
			)}
			{way === "proxy" && (
				<button type="button" onClick={() => void session.signIn()}>
					{texts.signInByProxy}
				</button>
			)}
		</main>
	);
}
