# Starts PostgreSQL with its own data directory. PostgreSQL refuses to run as root: root runs it as the user `postgres`.
set -e
PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)"
data="$CLUSTER_DIR/postgres"
as=
mkdir -p -m 0700 "$data"
if [ "$(id -u)" = 0 ]; then
	as="setpriv --reuid=postgres --regid=postgres --clear-groups"
	chown postgres: "$data" "$CLUSTER_DIR/postgres-password"
fi
cd "$data"
[ -s PG_VERSION ] || $as initdb -D "$data" -U svc -A scram-sha-256 --pwfile="$CLUSTER_DIR/postgres-password" -E UTF8 --locale=C --no-instructions
exec $as postgres -D "$data" -h 127.0.0.1 -p $((CLUSTER_PORT + 1)) -c unix_socket_directories=
